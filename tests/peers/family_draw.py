"""family_draw.py - draws a small random decoder (float64_decoder.py) with its config.json, the keys of its GGUF file, and the tensors of both. The rows of
family_rows.py say what is particular to each family."""
import zlib

import numpy as np

from float64_decoder import plain, scaled
from model_files import Blocks

LENGTH = 256  # that models were trained with, in tokens

# Parts of a decoder, as GGUF files and most folders name them.
GGUF = {'embed': 'token_embd', 'positions': 'position_embd', 'embed_norm': 'token_embd_norm', 'norm': 'output_norm', 'head': 'output'}
GGUF |= {part: 'blk.{}.' + name for part, name in {
    'attn_norm': 'attn_norm', 'q': 'attn_q', 'k': 'attn_k', 'v': 'attn_v', 'qkv': 'attn_qkv', 'q_norm': 'attn_q_norm', 'k_norm': 'attn_k_norm',
    'attn_sub_norm': 'attn_sub_norm', 'o': 'attn_output', 'attn_post_norm': 'post_attention_norm', 'sinks': 'attn_sinks', 'ffn_norm': 'ffn_norm',
    'gate': 'ffn_gate', 'up': 'ffn_up', 'ffn_sub_norm': 'ffn_sub_norm', 'down': 'ffn_down', 'ffn_post_norm': 'post_ffw_norm', 'router': 'ffn_gate_inp',
    'gate_e': 'ffn_gate_exps', 'up_e': 'ffn_up_exps', 'down_e': 'ffn_down_exps', 'gate_s': 'ffn_gate_shexp', 'up_s': 'ffn_up_shexp',
    'down_s': 'ffn_down_shexp', 'share': 'ffn_gate_inp_shexp', 'out_scale': 'layer_output_scale'}.items()}
FOLDER = {'embed': 'model.embed_tokens', 'norm': 'model.norm', 'head': 'lm_head'}
FOLDER |= {part: 'model.layers.{}.' + name for part, name in {
    'attn_norm': 'input_layernorm', 'q': 'self_attn.q_proj', 'k': 'self_attn.k_proj', 'v': 'self_attn.v_proj', 'qkv': 'self_attn.qkv_proj',
    'q_norm': 'self_attn.q_norm', 'k_norm': 'self_attn.k_norm', 'o': 'self_attn.o_proj', 'ffn_norm': 'post_attention_layernorm', 'gate': 'mlp.gate_proj',
    'up': 'mlp.up_proj', 'down': 'mlp.down_proj', 'gate_up': 'mlp.gate_up_proj', 'router': 'mlp.gate'}.items()}

# What config.json calls the sizes.
SIZES = {'hidden': 'hidden_size', 'ff': 'intermediate_size', 'layers': 'num_hidden_layers', 'heads': 'num_attention_heads',
         'kv_heads': 'num_key_value_heads', 'length': 'max_position_embeddings'}


def f32(x):
    return float(np.float32(x))


class Draw:
    """mode: shared (all options that llama.cpp computes as the original does), all, or random."""

    def __init__(self, family, mode, seed):
        self.family, self.mode, self.seed = family, mode, seed
        self.random = np.random.default_rng([seed, zlib.crc32(f'{family} {mode}'.encode())])
        self.options, self.departs, self.unwritten = [], [], []
        self.d, self.w, self.config, self.keys = {}, {}, {}, {}
        self.gguf, self.folder = dict(GGUF), dict(FOLDER)
        self.gguf_folds, self.folder_folds = [], []
        self.extra = {}           # further tensors of the GGUF file
        self.sizes = dict(SIZES)
        self.permuted, self.minus_one, self.scales = False, False, set()
        self.scaling, self.most_slope = None, 8.0
        self.tokens = self.pick(97, 201)  # of the text

    # ---- options ----

    def flag(self, name, departs=None, unwritten=None):
        """departs: why llama.cpp's losses are not the original's then; unwritten: why a GGUF file cannot say so."""
        shared = departs is None and unwritten is None
        value = shared if self.mode == 'shared' else self.mode == 'all' or bool(self.random.integers(2))
        if value:
            self.options.append(name)
            self.departs += [f'{name}: {departs}'] if departs else []
            self.unwritten += [f'{name}: {unwritten}'] if unwritten else []
        return value

    def pick(self, *values):
        return values[self.random.integers(len(values))]

    def number(self, low, high):
        return f32(self.random.uniform(low, high))

    # ---- sizes and weights ----

    def start(self, square=False, grouped=True, layers=(3, 4), tied=True, bias=False, eps='attention.layer_norm_rms_epsilon', norm='rms'):
        """square: the heads together are as large as the hidden state."""
        self.kv_heads, group = (self.pick(1, 2, 3), self.pick(2, 3)) if grouped else (self.pick(3, 5, 6), 1)
        self.heads, self.head = self.kv_heads * group, self.pick(10, 12, 16) if square else self.pick(10, 12, 16, 22)
        self.hidden = self.heads * self.head if square else self.pick(44, 50, 66)
        self.ff, self.layers, self.vocabulary, self.length = self.pick(54, 70, 82), self.pick(*layers), 259 + self.pick(0, 4, 21), LENGTH
        self.eps, self.square, self.norm_bias, self.eps_key = self.number(1e-3, 1e-2), square, bias, eps
        self.tied = self.flag('tied') if tied is True else tied is None
        self.d |= {'heads': self.heads, 'kv_heads': self.kv_heads, 'head': self.head, 'norm': norm, 'eps': self.eps,
                   'layers': [{} for _ in range(self.layers)]}

    def matrix(self, name, *shape, gain=1.0, bias=False):
        self.w[name + '.w'] = self.random.normal(0, gain / np.sqrt(shape[-1]), shape).astype(np.float32)
        if bias:
            self.w[name + '.b'] = self.random.normal(0, 0.4, shape[:-1]).astype(np.float32)

    def gains(self, name, *shape, bias=None):
        """Multiples of 2^-12, so that g - 1 is exact."""
        self.w[name + '.w'] = (1 + np.round(self.random.uniform(-0.6, 0.6, shape) * 4096) / 4096).astype(np.float32)
        if self.norm_bias if bias is None else bias:
            self.w[name + '.b'] = self.random.normal(0, 0.4, shape).astype(np.float32)

    def ends(self, embed_scale=1.0):
        """What is before and after the layers."""
        self.matrix('embed', self.vocabulary, self.hidden, gain=(0.4 if self.tied else 1.0) * np.sqrt(self.hidden) / embed_scale)
        self.gains('norm', self.hidden)
        if not self.tied:
            self.matrix('head', self.vocabulary, self.hidden, gain=3.0)

    def attention(self, i, bias=(), qk_norm=None):
        for part, heads, gain in ('q', self.heads, 1.5), ('k', self.kv_heads, 1.5), ('v', self.kv_heads, 1.0):
            self.matrix(f'{i}.{part}', heads * self.head, self.hidden, gain=gain, bias=part in bias)
        self.matrix(f'{i}.o', self.hidden, self.heads * self.head, gain=1.3, bias='o' in bias)
        if qk_norm:
            self.d['qk_norm'] = 'all' if qk_norm == 'all' else 'head'
            shape = {'head': lambda heads: (self.head,), 'all': lambda heads: (heads * self.head,), 'each': lambda heads: (heads, self.head)}[qk_norm]
            self.gains(f'{i}.q_norm', *shape(self.heads), bias=False)
            self.gains(f'{i}.k_norm', *shape(self.kv_heads), bias=False)

    def feed_forward(self, i, bias=(), gated=True):
        self.d['gated'] = gated
        for part in ('gate', 'up') if gated else ('up',):
            self.matrix(f'{i}.{part}', self.ff, self.hidden, gain=1.3, bias=part in bias)
        self.matrix(f'{i}.down', self.hidden, self.ff, gain=1.3, bias='down' in bias)

    def experts(self, i, count, bias=False):
        self.matrix(f'{i}.router', count, self.hidden, gain=2.0, bias=bias)
        for part, shape in ('gate_e', (self.ff, self.hidden)), ('up_e', (self.ff, self.hidden)), ('down_e', (self.hidden, self.ff)):
            self.matrix(f'{i}.{part}', count, *shape, gain=1.5, bias=bias)

    def blocks(self, bias=(), qk_norm=None, pre=True, post=False, gated=True, experts=0, experts_bias=False, ffn_norm=True):
        for i in range(self.layers):
            if pre:
                self.gains(f'{i}.attn_norm', self.hidden)
            self.attention(i, bias, qk_norm)
            if pre and ffn_norm:
                self.gains(f'{i}.ffn_norm', self.hidden)
            if post:
                self.gains(f'{i}.attn_post_norm', self.hidden)
                self.gains(f'{i}.ffn_post_norm', self.hidden)
            if experts:
                self.experts(i, experts, experts_bias)
            else:
                self.feed_forward(i, bias, gated)

    # ---- positions ----

    def rope(self, *kinds, base=None, rotated=None, layers=None, yarn_settings=False, swa_plain=False):
        """kinds: of scaling that may be drawn; layers: which have rope; swa_plain: those with a window are not scaled."""
        self.base, self.rotated = base or self.pick(3000.0, 20000.0), rotated or self.head
        self.scaling = self.draw_scaling(self.pick(None, *kinds), yarn_settings)
        frequencies, magnitude = scaled(self.base, self.rotated, self.scaling, self.tokens)
        for i, layer in enumerate(self.d['layers']):
            if layers is None or layers[i]:
                here = swa_plain and layer.get('window')
                layer |= {'unscaled': True} if here else {}
                layer |= {'frequencies': plain(self.base, self.rotated) if here else frequencies, 'magnitude': 1.0 if here else magnitude}

    def draw_scaling(self, kind, yarn_settings):
        settings = {'rope_type': kind, 'factor': self.pick(2.0, 4.0, 8.0)}
        if kind is None:
            return None
        self.options.append(kind)
        if kind == 'llama3':
            settings |= {'low_freq_factor': 1.0, 'high_freq_factor': 4.0, 'original_max_position_embeddings': 64}
        if kind == 'yarn':
            settings |= {'original_max_position_embeddings': 64}
            if self.flag('yarn_betas', None if yarn_settings else 'llama.cpp does not read them for this architecture'):
                settings |= {'beta_fast': 8.0, 'beta_slow': 0.5}
            if self.flag('yarn_attention_factor', 'llama.cpp does not read yarn_attn_factor'):
                settings |= {'attention_factor': 1.25}
        return settings

    def rope_keys(self):
        keys, s = {'rope.freq_base': self.base, 'rope.dimension_count': self.rotated}, self.scaling or {}
        if s.get('rope_type') == 'llama3':
            self.extra['rope_freqs.weight'] = (plain(self.base, self.rotated) / scaled(self.base, self.rotated, s, self.tokens)[0]).astype(np.float32)
        elif s:
            keys |= {'rope.scaling.type': s['rope_type'], 'rope.scaling.factor': s['factor']}
        if s.get('rope_type') == 'yarn':
            keys['rope.scaling.original_context_length'] = s['original_max_position_embeddings']
            keys |= {'rope.scaling.yarn_' + theirs: s[ours] for ours, theirs in (('beta_fast', 'beta_fast'), ('beta_slow', 'beta_slow'),
                                                                              ('attention_factor', 'attn_factor')) if ours in s}
        return keys

    def rope_config(self):
        if self.flag('rope_parameters'):  # as transformers 5 writes it
            return {'rope_parameters': (self.scaling or {'rope_type': 'default'}) | {'rope_theta': self.base}}
        return {'rope_theta': self.base, 'rope_scaling': self.scaling}

    def windows(self, *which):
        """which: layers with a window, one truth value each; all: none given."""
        self.window = self.pick(5, 9, 17, 40)
        for i, layer in enumerate(self.d['layers']):
            if not which or which[i]:
                layer['window'] = self.window
        return self.window

    # ---- what files say ----

    def write_keys(self, architecture, rope=True, **more):
        keys = {'context_length': self.length, 'embedding_length': self.hidden, 'block_count': self.layers, 'feed_forward_length': self.ff,
                'attention.head_count': self.heads, 'attention.head_count_kv': self.kv_heads, self.eps_key: self.eps}
        if not self.square:
            keys |= {'attention.key_length': self.head, 'attention.value_length': self.head}
        keys |= (self.rope_keys() if rope else {}) | {name.replace('__', '.'): value for name, value in more.items()}
        if self.permuted or self.flag('vocab_size'):  # as the converters of some families write
            keys['vocab_size'] = self.vocabulary
        self.keys = {'general.architecture': architecture, 'general.name': 'random', 'general.file_type': 0, 'general.quantization_version': 2} | {f'{architecture}.{name}': value for name, value in keys.items() if value is not None}

    def write_config(self, model_type, architecture, rope=True, eps='rms_norm_eps', act='silu', **more):
        self.config = {'architectures': [architecture], 'model_type': model_type, 'torch_dtype': 'float32', 'use_cache': True,
                       'vocab_size': self.vocabulary, 'tie_word_embeddings': self.tied, 'bos_token_id': 1, 'eos_token_id': 2, eps: self.eps}
        self.config |= {theirs: getattr(self, ours) for ours, theirs in self.sizes.items() if theirs}
        self.config |= {'hidden_act': act} if act else {}
        if not self.square:
            self.config['head_dim'] = self.head
        self.config |= (self.rope_config() if rope else {}) | more

    def multimodal(self, model_type, architecture, **more):
        """The folder's model is the text tower of one that sees as well."""
        if not self.flag('multimodal'):
            return
        text = {name: value for name, value in self.config.items() if name not in ('architectures', 'torch_dtype', 'tie_word_embeddings')}
        self.config = {'architectures': [architecture], 'model_type': model_type, 'text_config': text, 'vision_config': {'model_type': 'a_vision_model', 'hidden_size': 8},
                       'torch_dtype': 'float32', 'tie_word_embeddings': self.tied, 'image_token_index': 10, 'initializer_range': 0.02} | more
        text_model, head, others = self.pick(('language_model.model.', 'language_model.lm_head', ''), ('model.language_model.', 'lm_head', 'model.'))
        self.folder = {part: head if part == 'head' else text_model + name.removeprefix('model.') for part, name in self.folder.items()}
        tower = {f'={others}vision_tower.encoder.layers.0.attention.q_proj.weight': (8, 8), f'={others}multi_modal_projector.linear_1.weight': (self.hidden, 8),
                 f'={others}vision_tower.norm.weight': (8,)}
        self.folder_folds.append(lambda weights: weights.update({name: np.ones(shape, np.float32) for name, shape in tower.items()}))

    # ---- tensors of files ----

    def parts(self):
        """Parts without the number of their layer."""
        return sorted({name.split('.')[-2] for name in self.w})

    def gguf_tensors(self):
        weights = dict(self.w)
        if self.permuted:
            for i in range(self.layers):
                for part in 'qk':
                    for kind in 'wb':
                        values = weights.get(f'{i}.{part}.{kind}')
                        if values is not None:
                            pairs = values.reshape(-1, 2, self.head // 2, *values.shape[1:])
                            weights[f'{i}.{part}.{kind}'] = pairs.swapaxes(1, 2).reshape(values.shape)
        for fold in self.gguf_folds:
            fold(weights)
        tensors = named(weights, self.gguf) | self.extra
        return self.scaled_tensors(tensors) if self.scales else tensors

    def scaled_tensors(self, tensors):
        """Some matrices get a factor beside them."""
        for name in list(tensors):
            part = name.split('.')[-2]
            if name.endswith('.weight') and part in self.scales:
                factor = 2.0 ** self.random.integers(-3, 4)
                tensors[name] = (tensors[name] / factor).astype(np.float32)
                tensors[name.replace('.weight', '.scale')] = np.array([factor], np.float32)
        return tensors

    def folder_tensors(self):
        weights = dict(self.w)
        for fold in self.folder_folds:
            fold(weights)
        return named(weights, self.folder, self.minus_one and (lambda values: values - 1))


def named(weights, names, gains=None):
    """gains: what becomes of those of norms."""
    tensors = {}
    for name, values in weights.items():
        if name.startswith('='):  # by a fold
            tensors[name[1:]] = values if isinstance(values, Blocks) else np.ascontiguousarray(values)
            continue
        layer, part, kind = ('', *name.split('.'))[-3:]
        target = names[part].format(layer)
        if gains and part.endswith('norm') and kind == 'w':
            values = gains(values)
        suffix = '' if target.endswith('!') else {'w': '.weight', 'b': '.bias'}[kind]
        tensors[target.rstrip('!') + suffix] = np.ascontiguousarray(values)
    return tensors


def join(target, *sources, along=lambda arrays: np.concatenate(arrays)):
    """A fold: the parts become one, in each layer and of each kind (weights, biases) that is there."""
    def fold(weights):
        for name in [name for name in weights if name.split('.')[-2] == sources[0]]:
            layer, kind = name.split('.')[0], name.split('.')[-1]
            weights[f'{layer}.{target}.{kind}'] = along([weights.pop(f'{layer}.{part}.{kind}') for part in sources])
    return fold


def change(part, function):
    """A fold: the function of each array of the part."""
    def fold(weights):
        for name in [name for name in weights if name.split('.')[-2] == part]:
            weights[name] = function(weights[name])
    return fold


def by_heads(counts, head):
    """Joins so that the q, k and v of a head, or of a group of heads, follow each other. counts: heads of each in a group."""
    def along(arrays):
        groups = [each.reshape(-1, count * head, *each.shape[1:]) for each, count in zip(arrays, counts)]
        joined = np.concatenate(groups, 1)
        return joined.reshape(-1, *joined.shape[2:])
    return along
