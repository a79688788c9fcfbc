"""family_rows.py - one function a family: draws a random model of it, as its paper and transformers define it, and says what its files hold. FAMILIES has them
all."""
import numpy as np

from family_draw import Draw, by_heads, change, f32, join, TOKENS
from float64_decoder import alibi_slopes, scaled

QKVO = ('q', 'k', 'v', 'o')
MLP = ('gate', 'up', 'down')
NO_BIAS = 'llama.cpp has no place for these biases here'
NO_WINDOW = 'llama.cpp does not read the window of this architecture'


def usual(m, biases=(), scales=True, folds=True):
    """Options of any GGUF file: q, k and v joined, factors beside matrices. scales: llama.cpp reads those of the feed-forward part."""
    m.joined = folds and m.flag('joined')
    if m.joined:
        together = m.flag('joined_biases') if biases else True
        m.gguf_folds.append(join('qkv', 'q', 'k', 'v') if together else only('w', join('qkv', 'q', 'k', 'v')))
    m.scales = {'attn_qkv' if m.joined else 'attn_q', 'attn_v', 'attn_output'} if m.flag('scales') else set()
    if not set(MLP) & set(biases) and m.flag('ffn_scales', None if scales else 'llama.cpp loads .scale of the feed-forward part and does not apply it'):
        m.scales |= {'ffn_gate', 'ffn_up', 'ffn_down'}


def only(kind, fold):
    """The fold, of weights (w) or biases (b) alone."""
    def folded(weights):
        chosen = {name: values for name, values in weights.items() if name.endswith('.' + kind)}
        for name in chosen:
            del weights[name]
        fold(chosen)
        weights |= chosen
    return folded


def llama(m, model_type='llama', architecture='LlamaForCausalLM'):
    m.start()
    m.rope('linear', 'llama3', 'yarn')
    attention, mlp = m.flag('attention_bias'), m.flag('mlp_bias')
    biases = (QKVO if attention else ()) + (MLP if mlp else ())
    m.ends()
    m.blocks(biases)
    m.permuted = True
    usual(m, biases)
    m.write_keys('llama')
    m.write_config('llama', 'LlamaForCausalLM', attention_bias=attention, mlp_bias=mlp)


def mistral(m):
    m.start()
    window = m.windows() if m.flag('window', NO_WINDOW) else None
    m.rope()
    m.ends()
    m.blocks()
    m.permuted = True
    usual(m)
    m.write_keys('llama', attention__sliding_window=window)
    m.write_config('mistral', 'MistralForCausalLM', sliding_window=window)


def mistral3(m):
    m.start()
    m.rope('yarn', yarn_settings=True)
    beta, original = (m.number(0.1, 0.5), 16) if m.flag('temperature') else (None, 64)
    more = {}
    if m.scaling is None:  # the class knows yarn alone
        m.scaling = {'rope_type': 'yarn', 'factor': 4.0}
    m.scaling['original_max_position_embeddings'] = original
    if 'attention_factor' not in m.scaling:
        m.scaling |= {'mscale': 1.0, 'mscale_all_dim': m.pick(1.0, 0.5)}
        more = {'rope__scaling__yarn_log_multiplier': m.scaling['mscale_all_dim']}
    frequencies, magnitude = scaled(m.base, m.rotated, m.scaling, TOKENS)
    for layer in m.d['layers']:
        layer |= {'frequencies': frequencies, 'magnitude': magnitude}
    if beta:
        m.d['temperature'] = (beta, original)
        more['attention__temperature_scale'] = beta
    m.ends()
    m.blocks()
    m.permuted = True
    usual(m)
    m.write_keys('mistral3', **more)
    m.scaling['llama_4_scaling_beta'] = beta or 0.0
    m.rope_config = lambda: {'rope_parameters': m.scaling | {'rope_theta': m.base}}
    m.write_config('ministral3', 'Ministral3ForCausalLM', sliding_window=None)


def qwen2(m):
    m.start(square=True)
    first = 1 if m.flag('window', unwritten='GGUF files of Qwen 2 do not say which layers have a window') else None
    if first:
        m.windows(*(i >= first for i in range(m.layers)))
    m.rope('yarn')
    m.ends()
    m.blocks('qkv')
    usual(m, 'qkv', scales=False)
    m.write_keys('qwen2')
    m.write_config('qwen2', 'Qwen2ForCausalLM', use_sliding_window=bool(first), sliding_window=m.window if first else None, max_window_layers=first or m.layers)


def qwen3(m):
    m.start()
    m.rope('yarn')
    biases = QKVO if m.flag('attention_bias', NO_BIAS) else ()
    m.ends()
    m.blocks(biases, qk_norm='head')
    usual(m, biases)
    m.write_keys('qwen3')
    m.write_config('qwen3', 'Qwen3ForCausalLM', attention_bias=bool(biases), use_sliding_window=False, sliding_window=None, max_window_layers=m.layers)


def smollm3(m):
    m.start(layers=(5, 6))
    rope = [int((i + 1) % 4 != 0) for i in range(m.layers)]
    if m.flag('no_rope_layers', unwritten='the architecture has every fourth layer without positions, which no key changes'):
        rope = [int(i % 3 != 1) for i in range(m.layers)]
    m.rope('yarn', layers=rope)
    attention, mlp = (m.flag(name, NO_BIAS) for name in ('attention_bias', 'mlp_bias'))
    biases = (QKVO if attention else ()) + (MLP if mlp else ())
    m.ends()
    m.blocks(biases)
    m.permuted = True
    usual(m, biases, scales=False)
    m.write_keys('smollm3')
    m.write_config('smollm3', 'SmolLM3ForCausalLM', attention_bias=attention, mlp_bias=mlp, no_rope_layers=rope, use_sliding_window=False, sliding_window=None)


def granite_scales(m):
    """Multipliers, as a config.json and a GGUF file name them."""
    own = {'attention': m.number(0.1, 0.5), 'embedding': m.number(2, 8), 'residual': m.number(0.2, 0.7), 'logits': m.number(2, 6)}
    m.d |= {'attn_scale': own['attention'], 'embed_scale': own['embedding'], 'residual_scale': own['residual'], 'logit_scale': 1 / own['logits']}
    return ({'attention_multiplier': own['attention'], 'embedding_multiplier': own['embedding'], 'residual_multiplier': own['residual'],
             'logits_scaling': own['logits']},
            {'attention__scale': own['attention'], 'embedding_scale': own['embedding'], 'residual_scale': own['residual'], 'logit_scale': own['logits']})


def granite(m):
    m.start(square=True)
    m.rope('yarn')
    attention, mlp = m.flag('attention_bias'), m.flag('mlp_bias')
    biases = (QKVO if attention else ()) + (MLP if mlp else ())
    config, keys = granite_scales(m)
    m.ends(m.d['embed_scale'] / 3)
    if not m.tied:
        m.w['head.w'] *= 3
    m.blocks(biases)
    m.permuted = True
    usual(m, biases, scales=False)
    m.write_keys('granite', **keys)
    m.write_config('granite', 'GraniteForCausalLM', attention_bias=attention, mlp_bias=mlp, **config)


def olmo2(m):
    m.start(square=True, tied=False)
    kinds = ['yarn']
    third = m.flag('olmo3')
    if third:
        window = m.windows(*(slides := [i % 3 != 1 for i in range(m.layers)]))
    m.rope(*kinds, swa_plain=True)
    biases = QKVO if m.flag('attention_bias', NO_BIAS) else ()
    m.ends()
    m.blocks(biases, qk_norm='all', pre=False, post=True)
    usual(m, biases, scales=False)
    m.folder |= {'attn_post_norm': 'model.layers.{}.post_attention_layernorm', 'ffn_post_norm': 'model.layers.{}.post_feedforward_layernorm'}
    m.write_keys('olmo2', **({'attention__sliding_window': window, 'attention__sliding_window_pattern': slides} if third else {}))
    more = {'sliding_window': window, 'layer_types': layer_types(slides)} if third else {}
    m.write_config('olmo3' if third else 'olmo2', 'Olmo3ForCausalLM' if third else 'Olmo2ForCausalLM', attention_bias=bool(biases), **more)


def layer_types(slides):
    return ['sliding_attention' if each else 'full_attention' for each in slides]


GEMMA = {'attn_post_norm': 'model.layers.{}.post_attention_layernorm', 'ffn_norm': 'model.layers.{}.pre_feedforward_layernorm',
         'ffn_post_norm': 'model.layers.{}.post_feedforward_layernorm'}


def gemma_start(m, **more):
    m.start(tied=None, **more)
    m.d |= {'embed_scale': float(np.sqrt(m.hidden)), 'act': 'gelu_tanh'}
    m.minus_one, m.coarse = True, True


def gemma2(m):
    gemma_start(m)
    slides = [i % 2 == 0 for i in range(m.layers)]
    window = m.windows(*slides)
    m.rope()
    attn_cap, final_cap = m.number(2, 4), m.number(4, 10)
    m.d |= {'attn_cap': attn_cap, 'final_cap': final_cap}
    scalar = float(m.head)
    if m.flag('query_pre_attn_scalar', unwritten='a GGUF file of Gemma 2 has no scale of attention'):
        scalar = m.number(2, 6)
    m.d['attn_scale'] = scalar ** -0.5
    m.ends(m.d['embed_scale'] / 2)
    m.blocks(post=True)
    usual(m, scales=False)
    m.folder |= GEMMA
    m.write_keys('gemma2', attention__sliding_window=window, attn_logit_softcapping=attn_cap, final_logit_softcapping=final_cap)
    m.write_config('gemma2', 'Gemma2ForCausalLM', act=None, hidden_activation='gelu_pytorch_tanh', query_pre_attn_scalar=scalar, sliding_window=window,
                   attn_logit_softcapping=attn_cap, final_logit_softcapping=final_cap, attention_bias=False, **(
                       {'layer_types': layer_types(slides)} if m.flag('layer_types') else {}))


FAMILIES = {row.__name__: row for row in (llama, mistral, mistral3, qwen2, qwen3, smollm3, granite, olmo2, gemma2)}


def draw(family, mode, seed):
    """A model that has no two experts so near to each other that rounding chooses between them."""
    model = Draw(family, mode, seed)
    FAMILIES[family](model)
    return model
