"""float64_decoder.py - the loss of each token under a decoder of any family of tests/peers/family_rows.py, in float64, written from the papers.

A decoder is a description (a dict, see DESCRIPTION) and its weights (a dict): matrices as (outputs, inputs), named `LAYER.PART.w` with biases `LAYER.PART.b`;
a norm or a bias is there if its weights are. Parts of a layer: attn_norm, q, k, v, q_norm, k_norm, attn_sub_norm (of what o reads), o, attn_post_norm (of what
the attention adds), ffn_norm, gate, up, ffn_sub_norm, down, ffn_post_norm, sinks; router, gate_e, up_e, down_e (experts), gate_s, up_s, down_s (an expert
that all tokens use), share (how much of it a token gets). Others: embed, positions, embed_norm, norm, head."""
import math

import numpy as np

DESCRIPTION = {
    'heads': 1, 'kv_heads': 1, 'head': 16,
    'norm': 'rms',            # or layer
    'eps': 1e-5,
    'qk_norm': None,          # of each head, or of all heads together: head, all
    'v_norm': False,          # values divided by their root mean square
    'embed_scale': 1.0, 'residual_scale': 1.0, 'logit_scale': 1.0,
    'attn_scale': None,       # 1 / sqrt(head)
    'attn_cap': None, 'final_cap': None, 'clip': None,
    'rotary_pairs': False,    # dimensions that turn together lie next to each other; else half a rotary part apart
    'temperature': None,      # (beta, length): queries are multiplied by 1 + beta ln(1 + floor(position / length))
    'slopes': None,           # ALiBi, of each head
    'rotation': None,         # the positions of tokens by which queries and keys are rotated; 0, 1, 2, ...
    'biases': (),             # further terms of scores: slopes of each head, positions of tokens
    'waves': (),              # positions whose sines and cosines are added to the input
    'learned': None,          # positions in the table that is added to the input; 0, 1, 2, ...
    'parallel': False,        # attention and feed-forward part read the same input
    'act': 'silu', 'gated': True,
    'experts_used': 0, 'normalized': True,  # weights of the experts used add up to 1
    'keys_are_values': False, # there is no v
    'layers': (),             # of each: window (tokens, with its own), frequencies (of rope, or None), magnitude (of cos and sin), and any of the above
}


def erf(x):
    return np.vectorize(math.erf)(x)


def softplus(x):
    return np.log1p(np.exp(x))


def half(x):
    return x.astype(np.float16).astype(np.float64)


ACTIVATIONS = {
    'silu': lambda x: x / (1 + np.exp(-np.maximum(x, -700))),
    'gelu': lambda x: x * (1 + erf(x / math.sqrt(2))) / 2,
    'gelu_tanh': lambda x: x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))) / 2,
    # as llama.cpp has it, from a table of half floats
    'gelu_table': lambda x: np.where(abs(x) < 10, half(ACTIVATIONS['gelu_tanh'](half(x))), np.maximum(x, 0)),
    'relu2': lambda x: np.maximum(x, 0) ** 2,
}


class Decoder:
    def __init__(self, description, weights):
        self.d = DESCRIPTION | description
        self.w = {name: values.astype(np.float64) for name, values in weights.items()}
        self.margin = np.inf  # of all choices of experts: how much more the last one had than the first that was not chosen

    def linear(self, x, name):
        return x @ self.w[name + '.w'].T + self.w.get(name + '.b', 0)

    def norm(self, x, name):
        if name + '.w' not in self.w:
            return x
        if self.d['norm'] == 'layer':
            x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + self.d['eps']) * self.w[name + '.w'] + self.w.get(name + '.b', 0)

    def rotation(self, count):
        return np.arange(count) if self.d['rotation'] is None else self.d['rotation']

    def rotate(self, x, layer):  # (heads, tokens, head)
        if layer.get('frequencies') is None:
            return x
        frequencies, magnitude = layer['frequencies'], layer.get('magnitude', 1.0)
        half = len(frequencies)
        angle = self.rotation(x.shape[1])[:, None] * frequencies
        cos, sin = np.cos(angle) * magnitude, np.sin(angle) * magnitude
        first, second = (slice(0, 2 * half, 2), slice(1, 2 * half, 2)) if self.d['rotary_pairs'] else (slice(0, half), slice(half, 2 * half))
        turned = x.copy()
        turned[..., first] = x[..., first] * cos - x[..., second] * sin
        turned[..., second] = x[..., second] * cos + x[..., first] * sin
        return turned

    def attention(self, x, i):
        layer, count = self.d['layers'][i], len(x)
        d = self.d | layer
        q, k, v = (self.linear(x, f'{i}.{part}') for part in ('qkk' if d['keys_are_values'] else 'qkv'))
        if d['qk_norm'] == 'all':
            q, k = self.norm(q, f'{i}.q_norm'), self.norm(k, f'{i}.k_norm')
        if d['clip']:  # after the norms, as in OLMoE
            q, k, v = (np.clip(each, -d['clip'], d['clip']) for each in (q, k, v))
        q, k, v = (each.reshape(count, -1, d['head']) for each in (q, k, v))
        if d['qk_norm'] == 'head':
            q, k = self.norm(q, f'{i}.q_norm'), self.norm(k, f'{i}.k_norm')
        if d['v_norm']:
            v = v / np.sqrt((v * v).mean(-1, keepdims=True) + d['eps'])
        q, k, v = (each.transpose(1, 0, 2) for each in (q, k, v))
        q, k = self.rotate(q, layer), self.rotate(k, layer)
        positions = np.arange(count)
        if d['temperature']:
            beta, length = d['temperature']
            q = q * (1 + beta * np.log(1 + self.rotation(count) // length))[:, None]
        k, v = (np.repeat(each, d['heads'] // d['kv_heads'], 0) for each in (k, v))
        score = q @ k.transpose(0, 2, 1) * (d['attn_scale'] or 1 / math.sqrt(d['head']))
        if d['attn_cap']:
            score = np.tanh(score / d['attn_cap']) * d['attn_cap']
        distance = positions[:, None] - positions
        if d['slopes'] is not None:
            score = score - np.asarray(d['slopes'])[:, None, None] * distance
        for slopes, where in d['biases']:
            score = score - np.asarray(slopes)[:, None, None] * abs(where[:, None] - where)
        score = np.where((distance < 0) | (distance >= (layer.get('window') or count)), -np.inf, score)
        sinks = self.w.get(f'{i}.sinks.w')
        top = score.max(-1, keepdims=True)
        share = np.exp(score - top)
        total = share.sum(-1, keepdims=True) + (0 if sinks is None else np.exp(sinks[:, None, None] - top))
        mixed = (share / total @ v).transpose(1, 0, 2).reshape(count, -1)
        return self.linear(self.norm(mixed, f'{i}.attn_sub_norm'), f'{i}.o')

    def activate(self, gate, up, i):
        """gate: None where there is none."""
        act, x = self.d['act'], up if gate is None else gate
        if act == 'xielu':
            alpha_p, alpha_n, beta, eps = self.w[f'{i}.xielu.w']
            grown = np.expm1(np.minimum(x, eps)) - x
            y = beta * x + np.where(x > 0, softplus(alpha_p) * x * x, (beta + softplus(alpha_n)) * grown)
        elif act == 'oss':
            gate, up = np.minimum(gate, 7), np.clip(up, -7, 7)
            return gate / (1 + np.exp(-1.702 * gate)) * (up + 1)
        else:
            y = ACTIVATIONS[act](x)
        return y if gate is None else y * up

    def feed_forward(self, x, i, suffix=''):
        gate = self.linear(x, f'{i}.gate{suffix}') if self.d['gated'] else None
        hidden = self.activate(gate, self.linear(x, f'{i}.up{suffix}'), i)
        return self.linear(self.norm(hidden, f'{i}.ffn_sub_norm'), f'{i}.down{suffix}')

    def experts(self, x, i):
        used = self.d['experts_used']
        logits = self.linear(x, f'{i}.router')
        order = np.argsort(-logits, -1)
        sorted_logits = np.take_along_axis(logits, order, -1)
        if used < logits.shape[-1]:
            self.margin = min(self.margin, (sorted_logits[:, used - 1] - sorted_logits[:, used]).min())
        share = np.exp(logits - logits.max(-1, keepdims=True))
        chosen = np.zeros_like(share)
        np.put_along_axis(chosen, order[:, :used], 1, -1)
        total = share * chosen if self.d['normalized'] else share
        share = share * chosen / total.sum(-1, keepdims=True)
        y = self.feed_forward(x, i, '_s') if f'{i}.up_s.w' in self.w else 0
        if f'{i}.share.w' in self.w:
            y = y / (1 + np.exp(-x @ self.w[f'{i}.share.w']))[:, None]
        for e in range(logits.shape[-1]):
            gate, up = (x @ self.w[f'{i}.{part}_e.w'][e].T + (self.w[f'{i}.{part}_e.b'][e] if f'{i}.{part}_e.b' in self.w else 0) for part in ('gate', 'up'))
            down = self.activate(gate, up, i) @ self.w[f'{i}.down_e.w'][e].T
            y = y + share[:, e:e + 1] * (down + (self.w[f'{i}.down_e.b'][e] if f'{i}.down_e.b' in self.w else 0))
        return y

    def drop(self, site, x):
        """Dropout: of the embedding (site 0), of what attention (1 + 2 layer) and the feed-forward part (2 + 2 layer) add."""
        return x

    def logits(self, ids):
        d = self.d
        x = self.w['embed.w'][ids] * d['embed_scale']
        if 'positions.w' in self.w:
            x = x + self.w['positions.w'][np.arange(len(ids)) if d['learned'] is None else d['learned']]
        for where in d['waves']:
            turns = where[:, None] * 10000.0 ** (-np.arange(0, x.shape[1], 2) / x.shape[1])
            x[:, ::2] += np.sin(turns)
            x[:, 1::2] += np.cos(turns)[:, :x.shape[1] // 2]
        x = self.drop(0, self.norm(x, 'embed_norm'))
        for i in range(len(d['layers'])):
            further = self.experts if f'{i}.router.w' in self.w else self.feed_forward
            read = self.norm(x, f'{i}.attn_norm')
            added = self.drop(1 + 2 * i, d['residual_scale'] * self.norm(self.attention(read, i), f'{i}.attn_post_norm'))
            if d['parallel']:
                read = self.norm(x, f'{i}.ffn_norm') if f'{i}.ffn_norm.w' in self.w else read
                x = x + added
            else:
                x = x + added
                read = self.norm(x, f'{i}.ffn_norm')
            x = x + self.drop(2 + 2 * i, d['residual_scale'] * self.norm(further(read, i), f'{i}.ffn_post_norm'))
            x = x * self.w.get(f'{i}.out_scale.w', 1)
        logits = self.norm(x, 'norm') @ self.w['head.w' if 'head.w' in self.w else 'embed.w'].T + self.w.get('head.b', 0)
        logits = logits * d['logit_scale']
        return np.tanh(logits / d['final_cap']) * d['final_cap'] if d['final_cap'] else logits

    def losses(self, ids):
        """-ln p of each token but the first."""
        logits = self.logits(ids)[:-1]
        top = logits.max(-1)
        return np.log(np.exp(logits - top[:, None]).sum(-1)) + top - logits[np.arange(len(ids) - 1), ids[1:]]


# ---- frequencies of rope, and the magnitude of cos and sin ----

def plain(base, count):
    return base ** (-np.arange(count // 2) * 2 / count)


def yarn_bounds(base, count, settings):
    """The pairs that turn beta_fast and beta_slow times within the original length."""
    low, high = (count * math.log(settings['original_max_position_embeddings'] / (turns * 2 * math.pi)) / (2 * math.log(base))
                 for turns in (settings.get('beta_fast', 32), settings.get('beta_slow', 1)))
    if settings.get('truncate', True):
        low, high = math.floor(low), math.ceil(high)
    return max(low, 0), min(high, count - 1)


def scaled(base, count, settings, length):
    """settings: rope_scaling of a config.json, or None; length: tokens of the text."""
    frequencies = plain(base, count)
    kind, factor = (settings or {}).get('rope_type'), (settings or {}).get('factor')
    if kind == 'linear':
        return frequencies / factor, 1.0
    if kind == 'llama3':
        low, high, original = (settings[name] for name in ('low_freq_factor', 'high_freq_factor', 'original_max_position_embeddings'))
        turns = original * frequencies / (2 * math.pi)
        kept = np.clip((turns - low) / (high - low), 0, 1)
        return frequencies * (kept + (1 - kept) / factor), 1.0
    if kind == 'yarn':
        low, high = yarn_bounds(base, count, settings)
        stretched = np.clip((np.arange(count // 2) - low) / (high - low), 0, 1)
        grown = lambda scale: 0.1 * scale * math.log(factor) + 1
        magnitude = settings.get('attention_factor') or (
            grown(settings['mscale']) / grown(settings['mscale_all_dim']) if settings.get('mscale') and settings.get('mscale_all_dim') else grown(1))
        return frequencies * (1 - stretched + stretched / factor), magnitude
    if kind == 'longrope':
        original = settings['original_max_position_embeddings']
        magnitude = math.sqrt(1 + math.log(factor) / math.log(original))
        return frequencies / np.array(settings['long_factor' if length > original else 'short_factor']), magnitude
    return frequencies, 1.0


def alibi_slopes(heads, most=8.0):
    """As in the paper's code: a geometric sequence for a power of two, and for other numbers every second one of the next longer sequence as well."""
    power = 2 ** math.floor(math.log2(heads))
    sequence = lambda count: [2 ** (-most * (h + 1) / count) for h in range(count)]
    return sequence(power) + sequence(2 * power)[::2][:heads - power]
