"""float64_model.py - a float64 forward pass of a small Llama, for the programs in this folder that compare losses. Skips them without numpy or
reference data."""
import json, math, os, struct, sys

try:
    import numpy as np
except ImportError:
    print('skipped: no python3-numpy')
    sys.exit(77)

SHARED, BUILD = os.environ.get('BIPE_SHARED', '../shared'), os.environ.get('BIPE_BUILDDIR', '.')
MODEL, TEXT = SHARED + '/models/small-rope', SHARED + '/texts/excerpt.txt'
if not os.path.exists(MODEL) or not os.path.exists(TEXT):
    print('skipped: no reference data')
    sys.exit(77)


# ---- the model ----

def read_weights(path):
    data = open(path, 'rb').read()
    size = struct.unpack_from('<Q', data)[0]
    table = json.loads(data[8:8 + size])
    weights = {}
    for name, t in table.items():
        if name != '__metadata__':
            first, end = t['data_offsets']
            weights[name] = np.frombuffer(data[8 + size + first:8 + size + end], '<f4').reshape(t['shape']).astype(np.float64)
    return weights


CONFIG = json.load(open(MODEL + '/config.json'))
WEIGHTS = read_weights(MODEL + '/model.safetensors')
HEADS = CONFIG['num_attention_heads']
HEAD = CONFIG['hidden_size'] // HEADS


def norm(x, weight):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + CONFIG['rms_norm_eps']) * weight


PLAIN = 10000.0 ** (-np.arange(HEAD // 2) * 2 / HEAD)


def rotate(x, frequency, magnitude):  # (heads, length, HEAD), pairs half a head apart
    angle = np.arange(x.shape[1])[:, None] * frequency
    a, b, cos, sin = x[..., :HEAD // 2], x[..., HEAD // 2:], np.cos(angle) * magnitude, np.sin(angle) * magnitude
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def forward(ids, frequency=PLAIN, magnitude=1.0, weights=WEIGHTS):
    """ln p of all tokens after each. Linear layers have a bias where the weights have one."""
    x = weights['model.embed_tokens.weight'][ids]
    mask = np.triu(np.full((len(ids), len(ids)), -np.inf), 1)
    for layer in range(CONFIG['num_hidden_layers']):
        w = lambda name: weights[f'model.layers.{layer}.{name}.weight']
        linear = lambda x, name: x @ w(name).T + weights.get(f'model.layers.{layer}.{name}.bias', 0)
        h = norm(x, w('input_layernorm'))
        q, k, v = (linear(h, f'self_attn.{n}_proj').reshape(len(ids), HEADS, HEAD).transpose(1, 0, 2) for n in 'qkv')
        score = rotate(q, frequency, magnitude) @ rotate(k, frequency, magnitude).transpose(0, 2, 1) / math.sqrt(HEAD) + mask
        score = np.exp(score - score.max(-1, keepdims=True))
        x = x + linear(((score / score.sum(-1, keepdims=True)) @ v).transpose(1, 0, 2).reshape(len(ids), -1), 'self_attn.o_proj')
        h = norm(x, w('post_attention_layernorm'))
        gate = linear(h, 'mlp.gate_proj')
        x = x + linear(gate / (1 + np.exp(-gate)) * linear(h, 'mlp.up_proj'), 'mlp.down_proj')
    logits = norm(x, weights['model.norm.weight']) @ weights['lm_head.weight'].T
    top = logits.max(-1)
    return logits - (np.log(np.exp(logits - top[:, None]).sum(-1)) + top)[:, None]


def losses(ids, **variant):
    """-ln p of each token but the first."""
    return -forward(ids, **variant)[np.arange(len(ids) - 1), ids[1:]]
