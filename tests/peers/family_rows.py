"""family_rows.py - dense families, one function each: draws a random model of it, as its paper and transformers define it, and says what its files hold."""
import numpy as np

from family_draw import LENGTH, by_heads, change, f32, join
from float64_decoder import alibi_slopes, plain, scaled

QKVO = ('q', 'k', 'v', 'o')
MLP = ('gate', 'up', 'down')
NO_BIAS = 'llama.cpp has no place for these biases here'
NO_WINDOW = 'llama.cpp does not read the window of this architecture'


def usual(m, biases=(), scales=True, joined=None, experts=False):
    """Options of any GGUF file: q, k and v joined (joined: True: always, False: never), factors beside matrices. scales: llama.cpp applies those of the
    feed-forward part."""
    if joined is None and m.flag('joined'):
        m.gguf_folds.append(join('qkv', 'q', 'k', 'v') if not biases or m.flag('joined_biases') else only('w', join('qkv', 'q', 'k', 'v')))
    if joined:
        m.gguf_folds.append(join('qkv', 'q', 'k', 'v'))
    m.scales = {'attn_qkv', 'attn_q', 'attn_v', 'attn_output'} if m.flag('scales') else set()
    if not set(MLP) & set(biases) and not experts and m.flag('ffn_scales', None if scales else 'llama.cpp loads .scale of the feed-forward part and does not apply it'):
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


def llama(m):
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
    m.multimodal('mistral3', 'Mistral3ForConditionalGeneration', multimodal_projector_bias=False, projector_hidden_act='gelu', spatial_merge_size=2,
                 vision_feature_layer=-1)


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
    frequencies, magnitude = scaled(m.base, m.rotated, m.scaling, m.tokens)
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
    m.multimodal('mistral3', 'Mistral3ForConditionalGeneration', spatial_merge_size=2, vision_feature_layer=-1)


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
    third = m.flag('olmo3')
    if third:
        window = m.windows(*(slides := [i % 3 != 1 for i in range(m.layers)]))
    m.rope('yarn', swa_plain=True)
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
    m.minus_one = True


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


def gemma(m):
    gemma_start(m)
    m.rope()
    m.ends(m.d['embed_scale'] / 2)
    m.blocks()
    usual(m, scales=False)
    m.write_keys('gemma')
    m.write_config('gemma', 'GemmaForCausalLM', act='gelu_pytorch_tanh', hidden_activation='gelu_pytorch_tanh', attention_bias=False)


def gemma3(m):
    gemma_start(m)
    form = m.pick('number', 'list') if m.mode != 'shared' else 'number'
    slides = [(i + 1) % 2 != 0 for i in range(m.layers)] if form == 'number' else [i % 3 != 1 for i in range(m.layers)]
    window = m.windows(*slides)
    local = m.number(500, 5000) if m.flag('local_base') else 10000.0
    m.rope('linear', layers=[not each for each in slides])
    for layer, each in zip(m.d['layers'], slides):
        if each:
            layer |= {'frequencies': plain(local, m.head), 'unscaled': True}
    final_cap = m.number(4, 10) if m.flag('final_logit_softcapping') else None
    scalar = float(m.head)
    if m.flag('query_pre_attn_scalar', unwritten='a GGUF file of Gemma 3 has no scale of attention'):
        scalar = m.number(2, 6)
    m.d |= {'final_cap': final_cap, 'attn_scale': scalar ** -0.5}
    m.ends(m.d['embed_scale'] / 2)
    m.blocks(post=True, qk_norm='head')
    usual(m, scales=False)
    m.folder |= GEMMA
    m.write_keys('gemma3', attention__sliding_window=window, attention__sliding_window_pattern=2 if form == 'number' else slides,
                 rope__freq_base_swa=local if local != 10000 else None, final_logit_softcapping=final_cap)
    if m.flag('rope_parameters'):
        m.rope_config = lambda: {'rope_parameters': {'full_attention': (m.scaling or {'rope_type': 'default'}) | {'rope_theta': m.base},
                                                     'sliding_attention': {'rope_type': 'default', 'rope_theta': local}}}
    else:
        m.rope_config = lambda: {'rope_theta': m.base, 'rope_scaling': m.scaling, 'rope_local_base_freq': local}
    m.write_config('gemma3_text', 'Gemma3ForCausalLM', act=None, hidden_activation='gelu_pytorch_tanh', query_pre_attn_scalar=scalar, sliding_window=window,
                   attn_logit_softcapping=None, final_logit_softcapping=final_cap, attention_bias=False,
                   **({'sliding_window_pattern': 2} if form == 'number' else {'layer_types': layer_types(slides)}))
    m.multimodal('gemma3', 'Gemma3ForConditionalGeneration', boi_token_index=3, eoi_token_index=4, mm_tokens_per_image=256, eos_token_id=[1, 106])


def gemma4(m):
    """Without what the smallest ones have: embeddings for each layer, and layers that share keys and values."""
    gemma_start(m)
    m.minus_one = False
    slides = [i % 2 == 0 and i < m.layers - 1 for i in range(m.layers)]  # its last layer has none
    window, local, full = m.windows(*slides), m.number(500, 5000), {10: 14, 12: 8, 16: 20, 22: 16}[m.head]
    rotated = 2 * (full // 5)  # of the first layers of pairs; the others keep their places but do not turn
    m.rope()
    same = m.flag('keys_are_values')
    final_cap = None if m.flag('no_final_cap', 'llama.cpp caps logits at 30 where the file has no cap') else m.number(4, 10)
    m.d |= {'v_norm': True, 'attn_scale': 1.0, 'final_cap': final_cap}
    fewer = (m.heads // 2 if m.heads % 2 == 0 else 1) if same else m.kv_heads  # files of the others do not say another number
    kv_heads = [m.kv_heads if each else fewer for each in slides]
    m.ends(m.d['embed_scale'] / 2)
    m.blocks(post=True, qk_norm='head')
    for i, layer in enumerate(m.d['layers']):
        if slides[i]:
            layer |= {'frequencies': plain(local, m.head), 'unscaled': True}
        else:
            layer |= {'head': full, 'kv_heads': kv_heads[i], 'keys_are_values': same}
            layer['frequencies'] = np.where(np.arange(full // 2) < rotated // 2, plain(m.base, full), 0)
            for part, heads in ('q', m.heads), ('k', kv_heads[i]), ('v', kv_heads[i]):
                m.matrix(f'{i}.{part}', heads * full, m.hidden, gain=1.5)
            m.matrix(f'{i}.o', m.hidden, m.heads * full, gain=1.3)
            m.gains(f'{i}.q_norm', full)
            m.gains(f'{i}.k_norm', full)
            if same:
                del m.w[f'{i}.v.w']
    if m.flag('layer_scalar'):
        for i in range(m.layers):
            m.w[f'{i}.out_scale.w'] = np.array([m.number(0.5, 1.5)], np.float32)
    usual(m, joined=False)
    m.write_keys('gemma4', attention__sliding_window=window, attention__sliding_window_pattern=slides, attention__shared_kv_layers=0,
                 embedding_length_per_layer_input=0, attention__key_length_swa=m.head, attention__value_length_swa=m.head, rope__freq_base_swa=local,
                 rope__dimension_count_swa=m.head, final_logit_softcapping=final_cap)
    m.keys |= {'gemma4.' + name: value for name, value in {'attention.key_length': full, 'attention.value_length': full, 'rope.dimension_count': full,
                                                           'attention.head_count_kv': kv_heads}.items()}
    m.extra['rope_freqs.weight'] = np.where(np.arange(full // 2) < rotated // 2, 1, 1e30).astype(np.float32)
    if not any('out_scale' in name for name in m.w):
        m.folder_folds.append(lambda weights: weights.update({f'{i}.out_scale.w': np.ones(1, np.float32) for i in range(m.layers)}))
    m.folder |= GEMMA | {'out_scale': 'model.layers.{}.layer_scalar!'}
    m.rope_config = lambda: {'rope_parameters': {
        'full_attention': {'rope_type': 'proportional', 'partial_rotary_factor': rotated / full, 'rope_theta': m.base},
        'sliding_attention': {'rope_type': 'default', 'rope_theta': local}}}
    wider = {'head_dim': full} | ({'num_key_value_heads': kv_heads[1]} if same else {})
    own = {'per_layer_config': {str(i): wider for i in range(m.layers) if not slides[i]}} if m.flag('per_layer_config') else {
        'global_head_dim': full, 'num_global_key_value_heads': kv_heads[1] if same else None}
    m.write_config('gemma4_text', 'Gemma4ForCausalLM', act=None, hidden_activation='gelu_pytorch_tanh', sliding_window=window, layer_types=layer_types(slides),
                   final_logit_softcapping=final_cap, attention_bias=False, attention_k_eq_v=same, hidden_size_per_layer_input=0, num_kv_shared_layers=0,
                   vocab_size_per_layer_input=m.vocabulary, use_double_wide_mlp=False, enable_moe_block=False, num_experts=None, top_k_experts=None,
                   moe_intermediate_size=None, use_bidirectional_attention=m.pick(None, 'vision'), **own)
    m.multimodal('gemma4', 'Gemma4ForConditionalGeneration', audio_config=None, boi_token_id=3, eoi_token_id=4, audio_token_id=5)


def phi3(m):
    m.start(square=True)
    factor, rotated = m.pick((1.0, m.head), {10: (0.6, 6), 12: (0.5, 6), 16: (0.75, 12)}[m.head])
    original = m.length
    m.rope(rotated=rotated)
    if m.flag('longrope'):
        m.length, original = m.pick((2 * LENGTH, 300), (LENGTH, 64))  # longer than the context of llama.cpp and the text, or shorter than both
        m.scaling = {'rope_type': 'longrope', 'factor': m.length / original, 'original_max_position_embeddings': original}
        m.scaling |= {name: [m.number(1, 3) for _ in range(rotated // 2)] for name in ('short_factor', 'long_factor')}
        frequencies, magnitude = scaled(m.base, rotated, m.scaling, m.tokens)
        for layer in m.d['layers']:
            layer |= {'frequencies': frequencies, 'magnitude': magnitude}
        m.extra = {f'rope_factors_{name}.weight': np.array(m.scaling[name + '_factor'], np.float32) for name in ('long', 'short')}
    window = m.windows() if m.flag('window', NO_WINDOW) else None
    m.ends()
    m.blocks()
    usual(m, scales=False, joined=True)
    m.gguf_folds.append(join('up', 'gate', 'up'))
    m.folder_folds += [join('qkv', 'q', 'k', 'v'), join('gate_up', 'gate', 'up')]
    magnitude = m.d['layers'][0]['magnitude']
    m.rope_keys = lambda: {'rope.freq_base': m.base, 'rope.dimension_count': rotated, 'rope.scaling.original_context_length': original,
                           'rope.scaling.attn_factor': magnitude if magnitude != 1 else None}
    m.write_keys('phi3', attention__sliding_window=window or 0)
    if m.scaling:
        named = {'type': 'longrope'} | {name: m.scaling[name] for name in ('short_factor', 'long_factor')}
        m.rope_config = lambda: {'rope_theta': m.base, 'rope_scaling': named}
    m.write_config('phi3', 'Phi3ForCausalLM', sliding_window=window, original_max_position_embeddings=original, partial_rotary_factor=factor,
                   attention_bias=False, embd_pdrop=0.0, resid_pdrop=0.0)


def seed_oss(m):
    m.start()
    m.rope()
    qkv, out, mlp = m.flag('attention_bias'), m.flag('attention_out_bias', NO_BIAS), m.flag('mlp_bias', NO_BIAS)
    biases = (('q', 'k', 'v') if qkv else ()) + (('o',) if out else ()) + (MLP if mlp else ())
    m.ends()
    m.blocks(biases)
    usual(m, ('q',) * qkv + MLP * mlp, scales=False)
    m.gguf['ffn_norm'] = 'blk.{}.post_attention_norm'
    m.write_keys('seed_oss')
    m.write_config('seed_oss', 'SeedOssForCausalLM', attention_bias=qkv, attention_out_bias=out, mlp_bias=mlp)


def exaone4(m):
    m.start(square=True)
    slides = [(i + 1) % 4 != 0 for i in range(m.layers)]
    window = m.windows(*slides) if m.flag('window', 'llama.cpp reads the window of models of 64 layers alone') else None
    m.rope('llama3', layers=slides if window else None)
    m.ends()
    m.blocks(qk_norm='head', pre=False, post=True)
    usual(m, scales=False)
    m.folder |= {'attn_post_norm': 'model.layers.{}.post_attention_layernorm', 'ffn_post_norm': 'model.layers.{}.post_feedforward_layernorm'}
    m.write_keys('exaone4', attention__sliding_window=window, attention__sliding_window_pattern=slides if window else None)
    m.write_config('exaone4', 'Exaone4ForCausalLM', sliding_window=window, **(
        {'layer_types': layer_types(slides)} if m.flag('layer_types') else {'sliding_window_pattern': 'LLLG' if window else None}))


def arcee(m):
    m.start()
    m.rope('llama3', 'yarn')
    attention, mlp = (m.flag(name, NO_BIAS) for name in ('attention_bias', 'mlp_bias'))
    biases = (QKVO if attention else ()) + (('up', 'down') if mlp else ())
    m.d['act'] = 'relu2'
    m.ends()
    m.blocks(biases, gated=False)
    m.permuted = True
    usual(m, biases, scales=False)
    m.write_keys('arcee')
    m.write_config('arcee', 'ArceeForCausalLM', act='relu2', attention_bias=attention, mlp_bias=mlp)


def apertus(m):
    m.start(tied=False)
    m.rope('llama3')
    biases = QKVO if m.flag('attention_bias') else ()
    m.d['act'] = 'xielu'
    m.ends()
    m.blocks(biases, gated=False, qk_norm='head')
    settings = [[m.number(0.2, 1.5), m.number(0.2, 1.5), m.number(0.3, 0.7), -1e-6] for _ in range(m.layers)]
    names = ('alpha_p', 'alpha_n', 'beta', 'eps')
    for i, values in enumerate(settings):
        m.w[f'{i}.xielu.w'] = np.array(values, np.float32)
    m.gguf_folds.append(lambda weights: [weights.pop(f'{i}.xielu.w') for i in range(m.layers)])
    m.folder_folds.append(lambda weights: weights.update({f'=model.layers.{i}.mlp.act_fn.{name}': values[k:k + 1] for i in range(m.layers)
                                                          for values in [weights.pop(f'{i}.xielu.w')] for k, name in enumerate(names)}))
    usual(m, biases, scales=False)
    m.folder |= {'attn_norm': 'model.layers.{}.attention_layernorm', 'ffn_norm': 'model.layers.{}.feedforward_layernorm'}
    m.write_keys('apertus')
    m.keys |= {'xielu.' + name: [f32(values[k]) for values in settings] for k, name in enumerate(names)}
    m.write_config('apertus', 'ApertusForCausalLM', act='xielu', attention_bias=bool(biases), mlp_bias=False, qk_norm=True, post_norm=False)


def ernie4_5(m):
    m.start()
    m.rope()
    m.d['rotary_pairs'] = True
    biases = QKVO + MLP if m.flag('use_bias', 'llama.cpp loads the bias of what the attention adds and does not add it') else ()
    m.ends()
    m.blocks(biases)
    usual(m, biases, scales=False)
    m.write_keys('ernie4_5')
    m.write_config('ernie4_5', 'Ernie4_5ForCausalLM', use_bias=bool(biases))


def cohere2(m):
    m.start(square=True, tied=None, layers=(4, 5), norm='layer', eps='attention.layer_norm_epsilon')
    slides = [(i + 1) % 4 != 0 for i in range(m.layers)]
    window = m.windows(*slides)
    m.rope(layers=slides)
    biases = QKVO if m.flag('attention_bias', NO_BIAS) else ()
    m.d |= {'rotary_pairs': True, 'parallel': True, 'logit_scale': m.number(0.2, 0.6)}
    m.ends()
    m.blocks(biases, ffn_norm=False)
    usual(m, biases)
    m.write_keys('cohere2', attention__sliding_window=window, logit_scale=m.d['logit_scale'], rope__scaling__type='none')
    m.write_config('cohere2', 'Cohere2ForCausalLM', eps='layer_norm_eps', attention_bias=bool(biases), logit_scale=m.d['logit_scale'], sliding_window=window,
                   cache_implementation='hybrid', layer_switch=4, order_of_interleaved_layers='local_attn_first', position_embedding_type='rope_gptj',
                   rotary_pct=1.0, use_embedding_sharing=True, use_gated_activation=True, use_parallel_block=True, use_parallel_embedding=True,
                   **({'layer_types': layer_types(slides)} if m.flag('layer_types') else {'sliding_window_pattern': 4}))


def layer_norms(m, **more):
    m.start(square=True, bias=True, norm='layer', eps='attention.layer_norm_epsilon', **more)


ALL_BIASES = QKVO + ('up', 'down')


def gpt2(m):
    layer_norms(m, grouped=False)
    m.length, m.ff = 208, m.ff if m.flag('n_inner') else 4 * m.hidden
    m.d['act'] = 'gelu_tanh'
    m.ends()
    m.matrix('positions', m.length, m.hidden, gain=0.5 * np.sqrt(m.hidden))
    m.blocks(ALL_BIASES, gated=False)
    usual(m, ALL_BIASES, scales=False, joined=True)
    m.write_keys('gpt2', rope=False)
    turned = lambda part: only('w', change(part, np.transpose))
    m.folder_folds += [join('qkv', 'q', 'k', 'v'), *(turned(part) for part in ('qkv', 'o', 'up', 'down'))]
    before = 'transformer.' if m.flag('prefix') else ''
    m.folder = {part: before + name for part, name in {
        'embed': 'wte', 'positions': 'wpe', 'norm': 'ln_f', 'attn_norm': 'h.{}.ln_1', 'qkv': 'h.{}.attn.c_attn', 'o': 'h.{}.attn.c_proj',
        'ffn_norm': 'h.{}.ln_2', 'up': 'h.{}.mlp.c_fc', 'down': 'h.{}.mlp.c_proj'}.items()} | {'head': 'lm_head'}
    m.sizes = {'hidden': 'n_embd', 'layers': 'n_layer', 'heads': 'n_head', 'length': 'n_positions'}
    m.write_config('gpt2', 'GPT2LMHeadModel', rope=False, act=None, eps='layer_norm_epsilon', activation_function='gelu_new', n_ctx=m.length,
                   n_inner=m.ff if m.ff != 4 * m.hidden else None, attn_pdrop=0.1, embd_pdrop=0.1, resid_pdrop=0.1, scale_attn_weights=True,
                   summary_type='cls_index', reorder_and_upcast_attn=False)


def gptneox(m):
    layer_norms(m, grouped=False, tied=False)
    factor, rotated = {10: (0.4, 4), 12: (0.5, 6), 16: (0.25, 4)}[m.head]
    m.rope(rotated=rotated)
    m.d |= {'act': 'gelu', 'parallel': m.flag('use_parallel_residual')}
    m.ends()
    m.blocks(ALL_BIASES, gated=False)
    usual(m, ALL_BIASES, scales=False, joined=True)
    m.write_keys('gptneox', use_parallel_residual=m.d['parallel'])
    m.folder_folds.append(join('qkv', 'q', 'k', 'v', along=by_heads((1, 1, 1), m.head)))
    m.folder = {'embed': 'gpt_neox.embed_in', 'norm': 'gpt_neox.final_layer_norm', 'head': 'embed_out'} | {
        part: 'gpt_neox.layers.{}.' + name for part, name in {
            'attn_norm': 'input_layernorm', 'qkv': 'attention.query_key_value', 'o': 'attention.dense', 'ffn_norm': 'post_attention_layernorm',
            'up': 'mlp.dense_h_to_4h', 'down': 'mlp.dense_4h_to_h'}.items()}
    m.sizes.pop('kv_heads')
    if m.flag('rope_parameters'):
        m.rope_config = lambda: {'rope_parameters': {'rope_type': 'default', 'rope_theta': m.base, 'partial_rotary_factor': factor}}
    else:
        m.rope_config = lambda: {'rotary_pct': factor, 'rotary_emb_base': m.base, 'rope_scaling': None}
    m.write_config('gpt_neox', 'GPTNeoXForCausalLM', eps='layer_norm_eps', act='gelu', use_parallel_residual=m.d['parallel'], attention_bias=True,
                   classifier_dropout=0.1, hidden_dropout=0.0)


def starcoder2(m):
    layer_norms(m)
    window = m.windows() if m.flag('window', NO_WINDOW) else None
    m.rope()
    m.d['act'] = 'gelu_tanh'
    m.ends()
    m.blocks(ALL_BIASES, gated=False)
    usual(m, ALL_BIASES, scales=False)
    m.write_keys('starcoder2', attention__sliding_window=window)
    m.folder |= {'up': 'model.layers.{}.mlp.c_fc', 'down': 'model.layers.{}.mlp.c_proj'}
    m.write_config('starcoder2', 'Starcoder2ForCausalLM', eps='norm_epsilon', act='gelu_pytorch_tanh', use_bias=True, sliding_window=window,
                   mlp_type='default', norm_type='layer_norm', embedding_dropout=0.1, residual_dropout=0.1)


def stablelm(m):
    layer_norms(m, tied=False)
    factor, rotated = {10: (0.4, 4), 12: (0.5, 6), 16: (0.25, 4)}[m.head]
    m.rope(rotated=rotated)
    qkv, norms, m.d['parallel'] = m.flag('use_qkv_bias'), m.flag('qk_layernorm'), m.flag('use_parallel_residual')
    m.ends()
    m.blocks('qkv' if qkv else '', qk_norm='each' if norms else None, ffn_norm=not m.d['parallel'])
    usual(m, 'qkv' if qkv else '', scales=False)
    m.write_keys('stablelm', use_parallel_residual=m.d['parallel'])

    def split_norms(weights):
        for name in [name for name in weights if name.endswith(('.q_norm.w', '.k_norm.w'))]:
            layer, part, _ = name.split('.')
            rows = weights.pop(name)
            weights.update({f'=model.layers.{layer}.self_attn.{part[0]}_layernorm.norms.{h}.weight': row for h, row in enumerate(rows)})

    m.folder_folds.append(split_norms)
    m.write_config('stablelm', 'StableLmForCausalLM', eps='layer_norm_eps', use_qkv_bias=qkv, qk_layernorm=norms, use_parallel_residual=m.d['parallel'],
                   partial_rotary_factor=factor, hidden_dropout=0.0)


def falcon(m):
    new = m.flag('new_decoder_architecture')
    layer_norms(m, tied=None)
    if not new:
        m.kv_heads = m.d['kv_heads'] = 1
    m.ff = 4 * m.hidden
    m.rope(base=10000.0)
    m.d |= {'act': 'gelu', 'parallel': True}
    m.ends()
    m.blocks(gated=False, ffn_norm=new)
    usual(m, scales=False, joined=True)
    if new:
        m.gguf |= {'ffn_norm': 'blk.{}.attn_norm', 'attn_norm': 'blk.{}.attn_norm_2'}
    m.rope_keys = dict
    m.write_keys('falcon', tensor_data_layout='jploski')
    m.folder_folds.append(join('qkv', 'q', 'k', 'v', along=by_heads((m.heads // m.kv_heads, 1, 1), m.head)))
    m.folder = {'embed': 'transformer.word_embeddings', 'norm': 'transformer.ln_f'} | {part: 'transformer.h.{}.' + name for part, name in {
        'attn_norm': 'ln_attn' if new else 'input_layernorm', 'ffn_norm': 'ln_mlp', 'qkv': 'self_attention.query_key_value', 'o': 'self_attention.dense',
        'up': 'mlp.dense_h_to_4h', 'down': 'mlp.dense_4h_to_h'}.items()}
    m.sizes = {'hidden': 'hidden_size', 'layers': 'num_hidden_layers', 'heads': 'num_attention_heads'}
    m.write_config('falcon', 'FalconForCausalLM', rope=False, act=None, eps='layer_norm_epsilon', alibi=False, bias=False, multi_query=True, parallel_attn=True,
                   new_decoder_architecture=new, apply_residual_connection_post_layernorm=False, hidden_dropout=0.0, attention_dropout=0.0,
                   **({'num_kv_heads': m.kv_heads} if new else {}))


def bloom(m):
    layer_norms(m, grouped=False, tied=None)
    m.ff = 4 * m.hidden
    m.d |= {'act': 'gelu_tanh', 'slopes': alibi_slopes(m.heads)}
    m.ends()
    m.gains('embed_norm', m.hidden)
    m.blocks(ALL_BIASES, gated=False)
    usual(m, ALL_BIASES, scales=False, joined=True)
    m.write_keys('bloom', rope=False)
    m.folder_folds.append(join('qkv', 'q', 'k', 'v', along=by_heads((1, 1, 1), m.head)))
    before = 'transformer.' if m.flag('prefix') else ''
    m.folder = {part: before + name for part, name in {
        'embed': 'word_embeddings', 'embed_norm': 'word_embeddings_layernorm', 'norm': 'ln_f', 'attn_norm': 'h.{}.input_layernorm',
        'qkv': 'h.{}.self_attention.query_key_value', 'o': 'h.{}.self_attention.dense', 'ffn_norm': 'h.{}.post_attention_layernorm',
        'up': 'h.{}.mlp.dense_h_to_4h', 'down': 'h.{}.mlp.dense_4h_to_h'}.items()}
    m.sizes = {'hidden': m.pick('hidden_size', 'n_embed'), 'layers': 'n_layer', 'heads': m.pick('n_head', 'num_attention_heads'), 'length': 'seq_length'}
    m.write_config('bloom', 'BloomForCausalLM', rope=False, act=None, eps='layer_norm_epsilon', apply_residual_connection_post_layernorm=False,
                   attention_softmax_in_fp32=True, masked_softmax_fusion=True, pretraining_tp=1, hidden_dropout=0.0, attention_dropout=0.0,
                   skip_bias_add=True, skip_bias_add_qkv=False, slow_but_exact=False, unk_token_id=0)


def mpt(m):
    m.start(square=True, grouped=False, tied=None, norm='layer', eps='attention.layer_norm_epsilon')
    m.ff, most = 4 * m.hidden, m.pick(8, 16)
    m.most_slope = most
    m.d |= {'act': 'gelu', 'slopes': alibi_slopes(m.heads, most), 'clip': m.number(1, 2) if m.flag('clip_qkv') else None}
    m.ends()
    m.blocks(gated=False)
    usual(m, scales=False, joined=True)
    m.write_keys('mpt', rope=False, attention__clamp_kqv=m.d['clip'], attention__max_alibi_bias=float(most))
    m.folder_folds.append(join('qkv', 'q', 'k', 'v'))
    m.folder = {'embed': 'transformer.wte', 'norm': 'transformer.norm_f'} | {part: 'transformer.blocks.{}.' + name for part, name in {
        'attn_norm': 'norm_1', 'qkv': 'attn.Wqkv', 'o': 'attn.out_proj', 'ffn_norm': 'norm_2', 'up': 'ffn.up_proj', 'down': 'ffn.down_proj'}.items()}
    m.sizes = {'hidden': 'd_model', 'layers': 'n_layers', 'heads': 'n_heads', 'length': 'max_seq_len'}
    m.write_config('mpt', 'MPTForCausalLM', rope=False, act=None, eps='layer_norm_epsilon', expansion_ratio=4, no_bias=True, norm_type='low_precision_layernorm',
                   attn_config={'alibi': True, 'alibi_bias_max': most, 'attn_type': 'multihead_attention', 'attn_uses_sequence_id': False, 'attn_pdrop': 0,
                                'attn_impl': 'torch', 'clip_qkv': m.d['clip'], 'prefix_lm': False, 'qk_ln': False, 'softmax_scale': None},
                   emb_pdrop=0, resid_pdrop=0, learned_pos_emb=True, logit_scale=None, init_device='cpu', embedding_fraction=1.0, verbose=0)


def bitnet(m):
    m.start(square=True, tied=None)
    m.rope()
    m.ends()
    m.blocks()
    sub_norms(m)
    usual(m, joined=False)
    m.write_keys('bitnet', rope__scaling__type='linear', rope__scaling__factor=1.0)


def sub_norms(m):
    for i in range(m.layers):
        m.gains(f'{i}.attn_sub_norm', m.hidden)
        m.gains(f'{i}.ffn_sub_norm', m.ff)


def bitnet_b158(m):
    """As transformers computes it where weights are not quantised as they are loaded."""
    m.departs.append('llama.cpp does not know bitnet-b1.58')
    m.start(square=True)
    m.d['act'] = 'relu2'
    m.rope()
    biases = QKVO if m.flag('attention_bias') else ()
    m.ends()
    m.blocks(biases)
    sub_norms(m)
    usual(m, biases, joined=False)
    m.write_keys('bitnet-b1.58')
    m.folder |= {'attn_sub_norm': 'model.layers.{}.self_attn.attn_sub_norm', 'ffn_sub_norm': 'model.layers.{}.mlp.ffn_sub_norm'}
    m.write_config('bitnet', 'BitNetForCausalLM', act='relu2', attention_bias=bool(biases))


DENSE = (llama, mistral, mistral3, qwen2, qwen3, smollm3, granite, olmo2, gemma2, gemma, gemma3, gemma4, phi3, seed_oss, exaone4, arcee, apertus, ernie4_5, cohere2, gpt2,
         gptneox, starcoder2, stablelm, falcon, bloom, mpt, bitnet, bitnet_b158)
