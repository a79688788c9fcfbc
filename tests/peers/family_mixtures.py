"""family_mixtures.py - families with experts, one function each, as in family_rows.py, and the table of all families."""
import numpy as np

from family_draw import Draw, change, join
from family_rows import DENSE, QKVO, granite_scales, layer_types, usual
from float64_decoder import scaled
from model_files import Blocks


def split_experts(m, names):
    """A fold: a tensor for each expert. names: of each part, with places for the layer and the expert."""
    def fold(weights):
        for part, name in names.items():
            for i in range(m.layers):
                weights.update({'=' + name.format(i, e): values for e, values in enumerate(weights.pop(f'{i}.{part}.w'))})
    return fold


def start_experts(m, **more):
    m.start(**more)
    m.count, used = m.pick(4, 5, 8), m.pick(2, 3)
    m.d['experts_used'] = used
    return {'expert_count': m.count, 'expert_used_count': used}


def expert_forms(m, scales):
    """What GGUF files may do with experts: factors of each, which llama.cpp applies in some architectures; gates joined with what they multiply; a tensor for
    each expert, as files of before April 2024."""
    factors = m.flag('expert_scales', None if scales else 'llama.cpp does not apply them in this architecture')
    form = m.pick('joined', 'apart') if m.flag('expert_forms', 'llama.cpp reads one form of this architecture') else None

    def fold(weights):
        for i in range(m.layers):
            for part, name in ('gate', 'ffn_gate'), ('up', 'ffn_up'), ('down', 'ffn_down'):
                if factors:
                    factor = 2.0 ** m.random.integers(-3, 4, m.count)
                    weights[f'=blk.{i}.{name}_exps.scale'] = factor.astype(np.float32)
                    weights[f'{i}.{part}_e.w'] = (weights[f'{i}.{part}_e.w'] / factor[:, None, None]).astype(np.float32)
                if form == 'apart':
                    weights.update({f'=blk.{i}.{name}.{e}.weight': values for e, values in enumerate(weights.pop(f'{i}.{part}_e.w'))})
            if form == 'joined':
                weights[f'=blk.{i}.ffn_gate_up_exps.weight'] = np.concatenate([weights.pop(f'{i}.{part}_e.w') for part in ('gate', 'up')], 1)

    if form and factors:  # whose tensors would have the same name
        factors = False
        m.options.remove('expert_scales')
    m.gguf_folds.append(fold)


PROJECTIONS = {'gate_e': 'model.layers.{}.mlp.experts.{}.gate_proj.weight', 'up_e': 'model.layers.{}.mlp.experts.{}.up_proj.weight',
               'down_e': 'model.layers.{}.mlp.experts.{}.down_proj.weight'}


def mixtral(m):
    keys = start_experts(m)
    m.rope()
    m.ends()
    m.blocks(experts=m.count)
    m.permuted = True
    usual(m, experts=True)
    expert_forms(m, True)
    m.write_keys('llama', **keys)
    m.folder_folds.append(split_experts(m, {part: f'model.layers.{{}}.block_sparse_moe.experts.{{}}.{name}.weight'
                                            for part, name in (('gate_e', 'w1'), ('down_e', 'w2'), ('up_e', 'w3'))}))
    m.folder['router'] = 'model.layers.{}.block_sparse_moe.gate'
    m.write_config('mixtral', 'MixtralForCausalLM', num_local_experts=m.count, num_experts_per_tok=m.d['experts_used'], sliding_window=None,
                   output_router_logits=False, router_aux_loss_coef=0.02)


def qwen3moe(m):
    keys = start_experts(m)
    m.d['normalized'] = not m.flag('not_normalized', unwritten='GGUF files of Qwen 3 do not say so')
    m.rope('yarn')
    m.ends()
    m.blocks(experts=m.count, qk_norm='head')
    usual(m, experts=True)
    expert_forms(m, True)
    m.write_keys('qwen3moe', expert_feed_forward_length=m.ff, **keys)
    m.keys['qwen3moe.feed_forward_length'] = 2 * m.ff
    m.folder_folds.append(split_experts(m, PROJECTIONS))
    m.write_config('qwen3_moe', 'Qwen3MoeForCausalLM', num_experts=m.count, num_experts_per_tok=m.d['experts_used'], moe_intermediate_size=m.ff,
                   norm_topk_prob=m.d['normalized'], decoder_sparse_step=1, mlp_only_layers=[], attention_bias=False, use_sliding_window=False,
                   output_router_logits=False, router_aux_loss_coef=0.001)
    m.config['intermediate_size'] = 2 * m.ff


def qwen2moe(m):
    keys = start_experts(m, square=True, tied=False)
    shared = m.ff + 8
    m.d['normalized'] = m.flag('normalized', unwritten='GGUF files of Qwen 2 do not say so')
    m.rope('yarn')
    m.ends()
    m.blocks('qkv', experts=m.count)
    for i in range(m.layers):
        for part, shape in ('gate_s', (shared, m.hidden)), ('up_s', (shared, m.hidden)), ('down_s', (m.hidden, shared)):
            m.matrix(f'{i}.{part}', *shape, gain=1.3)
        m.matrix(f'{i}.share', m.hidden, gain=2.0)
    usual(m, 'qkv', experts=True)
    expert_forms(m, False)
    m.write_keys('qwen2moe', expert_feed_forward_length=m.ff, expert_shared_feed_forward_length=shared, **keys)
    m.keys['qwen2moe.feed_forward_length'] = 2 * m.ff
    m.folder_folds += [split_experts(m, PROJECTIONS), change('share', lambda row: row[None])]
    m.folder |= {part: 'model.layers.{}.mlp.shared_expert' + name for part, name in {
        'gate_s': '.gate_proj', 'up_s': '.up_proj', 'down_s': '.down_proj', 'share': '_gate'}.items()}
    m.write_config('qwen2_moe', 'Qwen2MoeForCausalLM', num_experts=m.count, num_experts_per_tok=m.d['experts_used'], moe_intermediate_size=m.ff,
                   shared_expert_intermediate_size=shared, norm_topk_prob=m.d['normalized'], decoder_sparse_step=1, mlp_only_layers=[],
                   use_sliding_window=False, sliding_window=None, max_window_layers=m.layers, output_router_logits=False, router_aux_loss_coef=0.001)
    m.config['intermediate_size'] = 2 * m.ff


def olmoe(m):
    keys = start_experts(m, square=True, tied=False, grouped=False)
    m.d['normalized'] = m.flag('normalized', unwritten='GGUF files of OLMoE do not say so')
    m.d['clip'] = m.number(1, 2) if m.flag('clip_qkv', unwritten='GGUF files of OLMoE have no key for it') else None
    m.rope()
    m.ends()
    m.blocks(experts=m.count, qk_norm='all')
    usual(m, experts=True)
    m.write_keys('olmoe', **keys)
    m.folder_folds.append(split_experts(m, PROJECTIONS))
    m.write_config('olmoe', 'OlmoeForCausalLM', num_experts=m.count, num_experts_per_tok=m.d['experts_used'], norm_topk_prob=m.d['normalized'],
                   clip_qkv=m.d['clip'], attention_bias=False, output_router_logits=False, router_aux_loss_coef=0.01)


def granitemoe(m):
    keys = start_experts(m, square=True)
    shared = m.ff + 8 if m.flag('shared_expert') else None
    m.rope()
    config, more = granite_scales(m)
    m.ends(m.d['embed_scale'] / 3)
    if not m.tied:
        m.w['head.w'] *= 3
    m.blocks(experts=m.count)
    for i in range(m.layers if shared else 0):
        for part, shape in ('gate_s', (shared, m.hidden)), ('up_s', (shared, m.hidden)), ('down_s', (m.hidden, shared)):
            m.matrix(f'{i}.{part}', *shape, gain=1.3)
    m.permuted = True
    usual(m, experts=True)
    m.write_keys('granitemoe', expert_shared_feed_forward_length=shared, **keys, **more)
    m.folder_folds += [join('gate_up_e', 'gate_e', 'up_e', along=lambda arrays: np.concatenate(arrays, 1)), join('gate_up_s', 'gate_s', 'up_s')]
    m.folder |= {part: 'model.layers.{}.' + name for part, name in {
        'router': 'block_sparse_moe.router.layer', 'gate_up_e': 'block_sparse_moe.input_linear', 'down_e': 'block_sparse_moe.output_linear',
        'gate_up_s': 'shared_mlp.input_linear', 'down_s': 'shared_mlp.output_linear'}.items()}
    name = 'GraniteMoeShared' if shared else 'GraniteMoe'
    m.write_config(name.lower(), name + 'ForCausalLM', num_local_experts=m.count, num_experts_per_tok=m.d['experts_used'], attention_bias=False,
                   output_router_logits=False, router_aux_loss_coef=0.001, **config, **({'shared_intermediate_size': shared} if shared else {}))


def granite4(m):
    """Granite 4 without state spaces: the dense part is what mixtures of that class share among all tokens. Its converter writes keys of state spaces that no
    layer has, and a number of heads for each layer."""
    m.start(square=True)
    m.rope()
    config, keys = granite_scales(m)
    m.ends(m.d['embed_scale'] / 3)
    if not m.tied:
        m.w['head.w'] *= 3
    m.blocks()
    m.permuted = True
    usual(m, scales=False)
    m.write_keys('granite', rope__scaling__finetuned=True, ssm__conv_kernel=4, ssm__state_size=256, ssm__group_count=1, ssm__inner_size=2 * m.hidden,
                 ssm__time_step_rank=48, **keys)
    m.keys['granite.attention.head_count_kv'] = [m.kv_heads] * m.layers
    m.folder_folds.append(join('gate_up', 'gate', 'up'))
    m.folder |= {'gate_up': 'model.layers.{}.shared_mlp.input_linear', 'down': 'model.layers.{}.shared_mlp.output_linear'}
    m.write_config('granitemoehybrid', 'GraniteMoeHybridForCausalLM', num_local_experts=0, num_experts_per_tok=0, shared_intermediate_size=m.ff,
                   layer_types=['attention'] * m.layers, position_embedding_type='rope', attention_bias=False, normalization_function='rmsnorm',
                   init_method='mup', mamba_chunk_size=256, mamba_conv_bias=True, mamba_d_conv=4, mamba_d_head=32, mamba_d_state=256, mamba_expand=2,
                   mamba_n_groups=1, mamba_n_heads=48, mamba_proj_bias=False, output_router_logits=False, router_aux_loss_coef=0.01, **config)


def draw_blocks(m):
    """Makes the experts' weights values of MXFP4: four bits each, and a power of two for 32 of a row. Gives both."""
    codes, steps = {}, np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    for i in range(m.layers):
        for part in 'gate_e', 'up_e', 'down_e':
            shape = m.w[f'{i}.{part}.w'].shape
            code = m.random.integers(0, 16, shape)
            scale = m.random.integers(121, 125, (*shape[:2], shape[2] // 32)).astype(np.uint8)
            values = steps[code & 7] * np.where(code & 8, -1, 1) * np.repeat(2.0 ** (scale.astype(float) - 127), 32, -1)
            m.w[f'{i}.{part}.w'], codes[f'{i}.{part}'] = values.astype(np.float32), (code, scale)
    return codes


def gpt_oss(m):
    keys = start_experts(m, tied=False)
    m.d |= {'act': 'oss'}
    blocks = m.flag('mxfp4', 'llama.cpp rounds activations to 8 bits for blocks')
    if blocks:
        m.hidden, m.ff = 64, 96
    slides = [i % 2 == 0 for i in range(m.layers)]
    window = m.windows(*slides)
    m.rope()
    if m.flag('yarn', 'llama.cpp rounds the bounds of YaRN, which the original does not'):
        m.scaling = {'rope_type': 'yarn', 'factor': 8.0, 'beta_fast': 32.0, 'beta_slow': 1.0, 'original_max_position_embeddings': 64, 'truncate': False}
        frequencies, magnitude = scaled(m.base, m.rotated, m.scaling, m.tokens)
        for layer in m.d['layers']:
            layer |= {'frequencies': frequencies, 'magnitude': magnitude}
    m.ends()
    m.blocks(QKVO, experts=m.count, experts_bias=True)
    for i in range(m.layers):
        m.w[f'{i}.sinks.w'] = m.random.normal(1, 1, m.heads).astype(np.float32)
    codes = draw_blocks(m) if blocks else {}
    usual(m, QKVO, experts=True)
    m.gguf['ffn_norm'] = 'blk.{}.post_attention_norm'
    m.write_keys('gpt-oss', attention__sliding_window=window, expert_feed_forward_length=m.ff, **keys)

    def interleave(weights):
        for i in range(m.layers):
            for kind in 'wb':
                gate, up = weights.pop(f'{i}.gate_e.{kind}'), weights.pop(f'{i}.up_e.{kind}')
                both = np.stack([gate, up], 2).reshape(len(gate), -1, *gate.shape[2:])
                names = f'=model.layers.{i}.mlp.experts.{{}}_proj' + ('_bias' if kind == 'b' else '')
                turn = (lambda values: values.transpose(0, 2, 1)) if kind == 'w' else (lambda values: values)
                down = weights.pop(f'{i}.down_e.{kind}')
                if not (blocks and kind == 'w'):
                    weights[names.format('gate_up')], weights[names.format('down')] = turn(both), turn(down)
            for name, parts in (('gate_up', ('gate_e', 'up_e')), ('down', ('down_e',))) if blocks else ():
                code, scale = (np.stack([codes[f'{i}.{part}'][k] for part in parts], 2).reshape(m.count, -1, m.w[f'{i}.{parts[0]}.w'].shape[2] // (1 if k == 0 else 32))
                               for k in range(2))
                pairs = code.reshape(*scale.shape, 16, 2)
                weights[f'=model.layers.{i}.mlp.experts.{name}_proj_blocks'] = (pairs[..., 0] | pairs[..., 1] << 4).astype(np.uint8)
                weights[f'=model.layers.{i}.mlp.experts.{name}_proj_scales'] = scale

    def to_blocks(weights):
        for i in range(m.layers if blocks else 0):
            for part, name in ('gate_e', 'ffn_gate_exps'), ('up_e', 'ffn_up_exps'), ('down_e', 'ffn_down_exps'):
                shape = weights.pop(f'{i}.{part}.w').shape
                code, scale = codes[f'{i}.{part}']
                halves = code.reshape(*scale.shape, 2, 16)
                data = np.concatenate([scale[..., None], (halves[..., 0, :] | halves[..., 1, :] << 4).astype(np.uint8)], -1)
                weights[f'=blk.{i}.{name}.weight'] = Blocks('MXFP4', 39, shape, data.tobytes())

    m.gguf_folds.append(to_blocks)
    m.folder_folds.append(interleave)
    m.folder |= {'sinks': 'model.layers.{}.self_attn.sinks!', 'router': 'model.layers.{}.mlp.router'}
    m.write_config('gpt_oss', 'GptOssForCausalLM', num_local_experts=m.count, num_experts_per_tok=m.d['experts_used'], experts_per_token=m.d['experts_used'],
                   attention_bias=True, sliding_window=window, layer_types=layer_types(slides), swiglu_limit=7.0, output_router_logits=False,
                   router_aux_loss_coef=0.9, initial_context_length=64,
                   **({'quantization_config': {'quant_method': 'mxfp4', 'modules_to_not_convert': ['lm_head']}} if blocks else {}))


FAMILIES = {row.__name__: row for row in (*DENSE, granite4, mixtral, qwen2moe, qwen3moe, olmoe, granitemoe, gpt_oss)}


def draw(family, mode, seed):
    model = Draw(family, mode, seed)
    FAMILIES[family](model)
    return model
