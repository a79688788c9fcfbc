"""built_decoder.py - a native file of a decoder without norms in its layers, and its forward pass in float64: for tests/peers/automata."""
import math, struct

import numpy as np

NUMBERS = {0: 'B', 1: 'b', 2: 'H', 3: 'h', 4: 'I', 5: 'i', 6: 'f', 7: '?', 10: 'Q', 11: 'q', 12: 'd'}


class File:
    """The keys and the tensors (of type F32) of a GGUF file."""

    def __init__(self, path):
        self.data, self.at = open(path, 'rb').read(), 8
        tensors, keys = self.number('Q'), self.number('Q')
        self.keys = {self.text(): self.value(self.number('I')) for _ in range(keys)}
        table = [(self.text(), self.shape(), self.number('I'), self.number('Q')) for _ in range(tensors)]
        start = -(-self.at // 32) * 32
        self.tensors = {}
        for name, shape, kind, offset in table:
            assert kind == 0, f'{name}: type {kind}, expected F32'
            values = np.frombuffer(self.data, '<f4', math.prod(shape), start + offset)
            self.tensors[name] = values.reshape(shape[::-1]).astype(np.float64)

    def number(self, kind):
        self.at += struct.calcsize('<' + kind)
        return struct.unpack_from('<' + kind, self.data, self.at - struct.calcsize('<' + kind))[0]

    def text(self):
        size = self.number('Q')
        self.at += size
        return self.data[self.at - size:self.at].decode()

    def shape(self):
        return [self.number('Q') for _ in range(self.number('I'))]

    def value(self, kind):
        if kind == 8:
            return self.text()
        if kind == 9:
            element, count = self.number('I'), self.number('Q')
            return [self.value(element) for _ in range(count)]
        return self.number(NUMBERS[kind])


ERF = np.vectorize(math.erf, otypes=[float])


def gelu(x):
    far = abs(x) > 8 * math.sqrt(2)
    return np.where(far, np.maximum(x, 0), x * (1 + ERF(np.where(far, 0, x) / math.sqrt(2))) / 2)


def bucket(distance, buckets):
    exact = buckets // 2
    far = np.log(np.maximum(distance, 1) / exact) / math.log(4 * buckets / exact) * (buckets - exact)
    return np.where(distance < exact, distance, np.minimum(exact + np.floor(far).astype(int), buckets - 1))


class Decoder:
    def __init__(self, path):
        file = File(path)
        self.w, keys = file.tensors, {name.partition('.')[2]: value for name, value in file.keys.items() if name.startswith('bipe.')}
        assert keys['position_scheme'] == 'learned@intra+t5@segment' and keys['activation'] == 'gelu' and keys['attention.scale'] == 1
        assert keys['attention.head_count_kv'] == 1 and keys['segmenter'] == 'tokens:5'
        self.layers, self.heads, self.head, self.width = (keys[name] for name in ('block_count', 'attention.head_count', 'attention.key_length', 'embedding_length'))
        self.eps, self.length = keys['attention.layer_norm_rms_epsilon'], keys['context_length']

    def logits(self, ids):
        """(tokens, vocabulary), after each token."""
        w, count = self.w, len(ids)
        segment = np.concatenate([[0], np.cumsum(np.array(ids) == 5)[:-1]])
        starts = np.array([np.argmax(segment == n) for n in segment])
        x = w['token_embd.weight'][ids] + w['position_embd.weight'][np.arange(count) - starts]
        distance = np.maximum(segment[:, None] - segment, 0)
        bias = w['relative_attention_bias.weight'][bucket(distance, len(w['relative_attention_bias.weight']))].transpose(2, 0, 1)
        for i in range(self.layers):
            part = lambda name: w[f'blk.{i}.{name}']
            q = (x @ part('attn_q.weight').T + part('attn_q.bias')).reshape(count, self.heads, self.head).transpose(1, 0, 2)
            score = q @ (x @ part('attn_k.weight').T).T + bias
            score = np.where(np.tri(count) > 0, score, -np.inf)
            score = np.exp(score - score.max(-1, keepdims=True))
            mixed = score / score.sum(-1, keepdims=True) @ (x @ part('attn_v.weight').T)
            x = x + mixed.transpose(1, 0, 2).reshape(count, -1) @ part('attn_output.weight').T
            x = x + gelu(x @ part('ffn_up.weight').T + part('ffn_up.bias')) @ part('ffn_down.weight').T
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + self.eps) * w['output_norm.weight']
        return x @ w['output.weight'].T
