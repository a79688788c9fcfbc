"""model_files.py - writes models for the programs in this folder: GGUF files with a vocabulary of bytes, and Hugging Face folders (config.json,
model.safetensors)."""
import json, os, struct

import numpy as np

CONTROLS = ['<unk>', '<s>', '</s>']


def vocabulary(count):
    """Keys of a vocabulary of `count` tokens: three control tokens, the bytes, and words that no text here has."""
    tokens = CONTROLS + [f'<0x{byte:02X}>' for byte in range(256)]
    tokens += [f'\u2581word{number}' for number in range(count - len(tokens))]
    kinds = [2] + [3] * 2 + [6] * 256 + [1] * (count - 259)
    return {'tokenizer.ggml.model': 'llama', 'tokenizer.ggml.tokens': tokens, 'tokenizer.ggml.scores': [0.0] * count, 'tokenizer.ggml.token_type': kinds,
            'tokenizer.ggml.bos_token_id': 1, 'tokenizer.ggml.eos_token_id': 2}


class Blocks:
    """Values of a block type: the name and number of the type in GGUF files, the shape of the values, and the bytes."""

    def __init__(self, name, number, shape, data):
        self.dtype, self.number, self.shape, self.data = np.dtype(np.uint8), number, shape, data
        self.ndim, self.nbytes, self.name = len(shape), len(data), name

    def tobytes(self):
        return self.data


def _string(text):
    data = text.encode()
    return struct.pack('<Q', len(data)) + data


def _typed(value):
    """The number of a value's type and its bytes."""
    if isinstance(value, bool):
        return 7, struct.pack('<?', value)
    if isinstance(value, int):
        return (4, struct.pack('<I', value)) if value >= 0 else (5, struct.pack('<i', value))
    if isinstance(value, float):
        return 6, struct.pack('<f', value)
    if isinstance(value, str):
        return 8, _string(value)
    parts = [(5, struct.pack('<i', element)) if type(element) is int else _typed(element) for element in value]
    return 9, struct.pack('<IQ', parts[0][0], len(parts)) + b''.join(data for _, data in parts)


def write_gguf(path, keys, tensors):
    """Tensors are Blocks, or float32 or float16 arrays, whose last dimension is that of rows."""
    head, table, at = b'', b'', 0
    for key, value in keys.items():
        kind, data = _typed(value)
        head += _string(key) + struct.pack('<I', kind) + data
    for name, values in tensors.items():
        table += _string(name) + struct.pack('<I', values.ndim) + struct.pack(f'<{values.ndim}Q', *reversed(values.shape))
        table += struct.pack('<IQ', values.number if isinstance(values, Blocks) else {'float32': 0, 'float16': 1}[values.dtype.name], at)
        at += -(-values.nbytes // 32) * 32
    head = b'GGUF' + struct.pack('<IQQ', 3, len(tensors), len(keys)) + head + table
    with open(path, 'wb') as file:
        file.write(head.ljust(-(-len(head) // 32) * 32, b'\0'))
        for values in tensors.values():
            file.write(values.tobytes().ljust(-(-values.nbytes // 32) * 32, b'\0'))


def write_folder(path, config, tensors):
    os.mkdir(path)
    table, at = {}, 0
    for name, values in tensors.items():
        table[name] = {'dtype': {'float32': 'F32', 'float16': 'F16', 'uint8': 'U8'}[values.dtype.name], 'shape': values.shape, 'data_offsets': [at, at + values.nbytes]}
        at += values.nbytes
    head = json.dumps(table).encode()
    with open(os.path.join(path, 'model.safetensors'), 'wb') as file:
        file.write(struct.pack('<Q', len(head)) + head + b''.join(values.tobytes() for values in tensors.values()))
    with open(os.path.join(path, 'config.json'), 'w') as file:
        json.dump(config, file)
