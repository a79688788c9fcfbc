"""family_schemes.py - another position scheme, or another scaling of rope, on a model of any family: what the tools are told, and what becomes of the
description of float64_decoder.py."""
import numpy as np

from float64_decoder import alibi_slopes, plain, scaled

SCHEMES = ('none', 'rope@segment', 'rope@intra+alibi@segment*2', 'alibi@segment*8+sinusoidal@intra', 'sinusoidal@token', 'alibi@token*0.5+alibi@intra')
LEARNED = ('learned@segment', 'learned@intra+alibi@segment', 'learned@token+rope@intra')  # of models with a table
SCALINGS = {'linear:4': {'rope_type': 'linear', 'factor': 4.0}, 'yarn:4:64': {'rope_type': 'yarn', 'factor': 4.0, 'original_max_position_embeddings': 64},
            'llama3:8:1:4:64': {'rope_type': 'llama3', 'factor': 8.0, 'low_freq_factor': 1.0, 'high_freq_factor': 4.0, 'original_max_position_embeddings': 64},
            'none': None}


def indices(ids, ends):
    """Of each token: its number, that of its segment, and how far it is from where that begins. A segment ends with one of `ends`."""
    segment, intra, number, start = [], [], 0, 0
    for i, token in enumerate(ids):
        segment.append(number)
        intra.append(i - start)
        if token in ends:
            number, start = number + 1, i + 1
    return {'token': np.arange(len(ids)), 'segment': np.array(segment), 'intra': np.array(intra)}


def rotates(model):
    return any('frequencies' in layer for layer in model.d['layers'])


def with_scheme(model, scheme, where):
    """Layers without positions stay without; slopes are those of the family."""
    d, own = model.d, rotates(model)
    changes = {'slopes': None, 'waves': [], 'rotation': where['token']}
    biases, turned, learned = [], False, False
    for term in scheme.split('+') if scheme != 'none' else ():
        kind, rest = term.split('@')
        index, factor = (rest + '*1').split('*')[:2]
        if kind == 'alibi':
            biases.append((np.array(alibi_slopes(d['heads'], model.most_slope)) * float(factor), where[index]))
        elif kind == 'sinusoidal':
            changes['waves'].append(where[index])
        elif kind == 'rope':
            turned, changes['rotation'] = True, where[index]
        else:
            learned, changes['learned'] = True, where[index]
    if not learned and 'positions.w' in model.w:
        changes['weights'] = {name: values for name, values in model.w.items() if name != 'positions.w'}
    changes['layers'] = []
    for layer in d['layers']:
        bare = own and 'frequencies' not in layer
        frequencies = layer['frequencies'] if own and not bare else plain(10000.0, d['head'])
        changes['layers'].append(layer | {'frequencies': frequencies if turned and not bare else None, 'biases': () if bare else biases})
    return changes


def with_scaling(model, scaling):
    """Pairs that the family does not rotate stay so."""
    layers = []
    for layer in model.d['layers']:
        if 'frequencies' in layer and not layer.get('unscaled'):
            frequencies, magnitude = scaled(model.base, 2 * len(layer['frequencies']), SCALINGS[scaling], model.tokens)
            layer = layer | {'frequencies': np.where(layer['frequencies'] == 0, 0, frequencies), 'magnitude': magnitude}
        layers.append(layer)
    return {'layers': layers}
