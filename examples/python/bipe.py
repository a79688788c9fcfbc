#!/usr/bin/env python3
# bipe.py - libbipe from Python by ctypes, without a compiler: models, segmenters and tokenizers on texts in memory. To import, or to copy.
# Needs Python 3 and an installed libbipe: ctypes finds it as it finds all libraries, or BIPE_LIBRARY says where it is.
# Usage: bipe.py FILE    scores, segments and counts the paragraphs of a text with models that come with bipe
import ctypes
import os
import sys
import weakref
from ctypes import byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64, c_void_p

lib = ctypes.CDLL(os.environ.get('BIPE_LIBRARY', 'libbipe.so.1'))


class Error(ctypes.Structure):  # the structures of <bipe/error.h>, <bipe/segmenter.h> and <bipe/compare.h>
    _fields_ = [('status', c_int), ('text', ctypes.c_char * 1024)]


class Token(ctypes.Structure):
    _fields_ = [('start', c_uint64), ('end', c_uint64), ('id', c_uint32), ('reserved', c_uint32)]


class Estimate(ctypes.Structure):
    _fields_ = [(name, c_double) for name in ('value', 'error', 'low', 'high', 'p')] + [('units', c_size_t)]


# The parameters of each function: p a pointer or an array, s a string, n uint64_t, z size_t, b bool. Those that can fail end with an error.
KINDS = {'p': c_void_p, 's': c_char_p, 'n': c_uint64, 'z': c_size_t, 'b': c_bool}
CAN_FAIL = {'scorer_open': 'psssnz', 'scorer_texts': 'ppsppzp', 'scorer_file': 'ppsssp', 'text_losses_make': 'pnpnpppp',
            'text_losses_read': 'pnnpppp', 'text_losses_estimate': 'pppbn', 'segmentation_open': 'ps', 'segment_text': 'pszpzp',
            'tokenizer_open': 'psb', 'tokenize_text': 'pszpzp'}
for name, kinds in {**CAN_FAIL, 'text_losses_tokens': 'p', 'text_losses_documents': 'ppppp', 'scorer_close': 'p', 'text_losses_close': 'p',
                    'segmentation_close': 'p', 'tokenizer_close': 'p'}.items():
    function = getattr(lib, 'bipe_' + name)
    function.argtypes = [KINDS[kind] for kind in kinds] + [c_void_p] * (name in CAN_FAIL)
    function.restype = None if name.endswith('close') else c_int if name in CAN_FAIL else c_uint64


def call(name, *arguments):
    error = Error()
    if getattr(lib, 'bipe_' + name)(*arguments, byref(error)) != 0:
        raise RuntimeError(error.text.decode())


def coded(text):
    return None if text is None else os.fsencode(text)


class Handle:
    """An object of the library, closed when Python needs it no more."""
    def __init__(self, kind, opener, *arguments):
        self.handle = c_void_p()
        call(opener, byref(self.handle), *arguments)
        weakref.finalize(self, getattr(lib, f'bipe_{kind}_close'), self.handle)


class Losses(Handle):
    """What a model made of texts, each a document. Places and sizes are in bytes of UTF-8, losses in nats."""
    def __init__(self, *arguments):
        super().__init__('text_losses', *arguments)
        self.count = lib.bipe_text_losses_tokens(self.handle)
        documents = lib.bipe_text_losses_documents(self.handle, None, None, None, None)
        self.size, self.tokens, self.bytes = ((c_uint64 * documents)() for _ in range(3))
        self.nll = (c_double * documents)()
        lib.bipe_text_losses_documents(self.handle, self.size, self.tokens, self.bytes, self.nll)

    def read(self):
        """Four arrays with an item for each token: its document, where it starts and ends, its loss."""
        arrays = [(c_uint64 * self.count)() for _ in range(3)] + [(c_double * self.count)()]
        call('text_losses_read', self.handle, 0, self.count, *arrays)
        return arrays

    @staticmethod
    def make(size, document, start, end, nll):
        """Losses from such arrays: of shards, of another run, or of another program."""
        whole = [(c_uint64 * len(items))(*items) for items in (size, document, start, end)]
        return Losses('text_losses_make', len(size), whole[0], len(nll), *whole[1:], (c_double * len(nll))(*nll))

    def mean(self, bytes=False, other=None, seed=0):
        """The mean loss in nats per token, or in bits per byte; with other losses, how much more it is than theirs."""
        estimate = Estimate()
        call('text_losses_estimate', byref(estimate), other.handle if other else None, self.handle, bytes, seed)
        return estimate


class Scorer(Handle):
    """A model with its tokenizer, for windows of some length (0: as in its training) and threads (0: one for each processor)."""
    def __init__(self, model='default', tokenizer=None, scheme=None, length=0, threads=0):
        super().__init__('scorer', 'scorer_open', coded(model), coded(tokenizer), coded(scheme), length, threads)

    def texts(self, texts, segmenter=None):
        """Each text by itself, all of its tokens: the numbers are those of bipe-score --protocol lm-eval, not of its default."""
        if isinstance(texts, str):
            raise TypeError('expected a list of texts')
        data = [text.encode() for text in texts]
        sizes = (c_size_t * len(data))(*map(len, data))
        return Losses('scorer_texts', self.handle, coded(segmenter), (c_char_p * len(data))(*data), sizes, len(data), None)

    def file(self, path, field=None, segmenter=None):
        """The documents of a file, by the same rules. field: the member of JSON Lines records with the text."""
        return Losses('scorer_file', self.handle, coded(segmenter), coded(path), coded(field), None)


class Segmenter(Handle):
    def __init__(self, spec='stop'):
        super().__init__('segmentation', 'segmentation_open', coded(spec))

    def segments(self, text):
        data, count = text.encode(), c_size_t()
        ends = (c_uint64 * len(data))()
        call('segment_text', self.handle, data, len(data), ends, len(data), byref(count))
        return [data[start:end].decode() for start, end in zip([0, *ends], ends[:count.value])]


class Tokenizer(Handle):
    def __init__(self, spec='default', special=False):
        super().__init__('tokenizer', 'tokenizer_open', coded(spec), special)

    def count(self, text):
        data, count = text.encode(), c_size_t()
        call('tokenize_text', self.handle, data, len(data), None, 0, byref(count))
        return count.value

    def tokens(self, text):
        data, count = text.encode(), c_size_t(self.count(text))
        tokens = (Token * count.value)()
        call('tokenize_text', self.handle, data, len(data), tokens, count, byref(count))
        return tokens


def main(path):
    with open(path, encoding='utf-8') as file:
        texts = [text.strip() for text in file.read().split('\n\n') if text.strip()]
    if not texts:
        sys.exit(f'{path}: no text')

    sentences, tokenizer = Segmenter('sentence:en'), Tokenizer()
    print(len(texts), 'texts,', sum(len(sentences.segments(text)) for text in texts), 'sentences,', sum(map(tokenizer.count, texts)), 'tokens')
    print('the first sentence:', sentences.segments(texts[0])[0])

    losses = Scorer().texts(texts)
    bits = losses.mean(bytes=True)
    print(f'{losses.count} tokens scored, {sum(losses.nll) / losses.count:.3f} nats a token,'
          f' {bits.value:.3f} bits per byte (standard error {bits.error:.3f})')

    bilevel = Scorer('prose-bipe-rope')
    by_stop, by_sentence = (bilevel.texts(texts, spec) for spec in ('stop', 'sentence:en'))
    for what, a, b in (('prose-bipe-rope - default', losses, by_stop), ('sentence:en - stop', by_stop, by_sentence)):
        difference = b.mean(other=a)
        print(f'{what}: {difference.value:+.4f} nats a token, standard error {difference.error:.4f}, p {difference.p:.3f}')


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit('Usage: bipe.py FILE')
    main(sys.argv[1])
