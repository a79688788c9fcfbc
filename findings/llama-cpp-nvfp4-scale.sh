#!/bin/sh
# llama-cpp-nvfp4-scale.sh - llama.cpp loads the scale of an NVFP4 matrix and, in the feed-forward part of many architectures, does not multiply by it.
#
# Software:  npm packages node-llama-cpp 3.22.1 and @node-llama-cpp/linux-x64 3.22.1 (llama.cpp v0.5.0), on Linux on x86-64.
# Behaviour: An NVFP4 checkpoint has a scale for each whole matrix besides those of 16 values. llama.cpp's converter writes it as a tensor of one value beside the
#            matrix: blk.0.attn_q.scale, blk.0.ffn_up.scale. Those of attention count for all architectures tried here. Those of ffn_gate, ffn_up and ffn_down
#            count for llama, mistral3 and qwen3. For qwen2, gemma, smollm3, granite and ernie4_5 they change no bit of any probability, be they 1 or 1/1000.
# Surprise:  The same tensor has its place in the file, is loaded without a word, and its namesake in the attention of the same layer is applied.
# Hits:      whoever converts an NVFP4 checkpoint of one of these families. Scales are what is left of a matrix over 6 * 448, some 1e-4, so the feed-forward part
#            comes out thousands of times too large. Files of Llama and Qwen 3, which most checkpoints are, are right.
# Test:      A random model of two layers with NVFP4 matrices reads 50 random tokens, with all scales 1, with those of attention 1/1000, and with those of the
#            feed-forward part 1/1000, and without such tensors.
# Seen:      whether probabilities are those of scales of 1: scales of attention 1/1000, of the feed-forward part 1/1000; the same without such tensors
#   llama    differ differ same
#   mistral3 differ differ same
#   qwen3    differ differ same
#   qwen2    differ same   same
#   gemma    differ same   same
#   smollm3  differ same   same
#   granite  differ same   same
#   ernie4_5 differ same   same
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
npm install --silent --no-save --ignore-scripts --omit=optional --prefix "$tmp" node-llama-cpp@3.22.1 @node-llama-cpp/linux-x64@3.22.1
cat >"$tmp/measure.mjs" <<'END'
import fs from 'fs';
import {getLlama, LlamaLogLevel} from 'node-llama-cpp';

// ---- a random model ----
const [layers, width, hidden, tokens] = [2, 64, 128, 259];
let seed = 1;
const integer = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) >>> 8;
const floats = (count, value) => Buffer.from(Float32Array.from({length: count}, value).buffer);
// NVFP4: 64 values are 36 bytes: four E4M3 scales of 16 values each (here from 1/32 to 1/16), then a nibble for each value
const blocks = (count) => Buffer.from(Uint8Array.from({length: count / 64 * 36}, (_, i) => i % 36 < 4 ? 0x10 + integer() % 8 : integer() % 256));
const tensors = {}; // name: shape, type (0 F32, 40 NVFP4), bytes
const norm = (name, size) => tensors[`${name}.weight`] = [[size], 0, floats(size, () => 1)];
const matrix = (name, columns, rows) => tensors[`${name}.weight`] = [[columns, rows], 40, blocks(columns * rows)];
tensors['token_embd.weight'] = [[width, tokens], 0, floats(width * tokens, () => integer() / 2 ** 23 - 1)];
for (let i = 0; i < layers; i++) {
  for (const name of ['attn_norm', 'ffn_norm']) norm(`blk.${i}.${name}`, width);
  for (const name of ['attn_q', 'attn_k', 'attn_v', 'attn_output']) matrix(`blk.${i}.${name}`, width, width);
  for (const name of ['ffn_gate', 'ffn_up']) matrix(`blk.${i}.${name}`, width, hidden);
  matrix(`blk.${i}.ffn_down`, hidden, width);
}
norm('output_norm', width);

// ---- its GGUF file ----
const u32 = (value) => Buffer.from(Uint32Array.of(value).buffer), f32 = (value) => Buffer.from(Float32Array.of(value).buffer);
const u64 = (value) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer), string = (text) => Buffer.concat([u64(Buffer.byteLength(text)), Buffer.from(text)]);
const list = (type, values) => Buffer.concat([u32(type), u64(values.length), ...values]); // types: 4 u32, 5 i32, 6 f32, 8 string, 9 list
const names = ['<unk>', '<s>', '</s>', ...Array.from({length: 256}, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)];
function gguf(architecture, scales) { // scales: of each part of the names of matrices
  const keys = [['general.architecture', 8, string(architecture)], ['tokenizer.ggml.model', 8, string('llama')], ['tokenizer.ggml.tokens', 9, list(8, names.map(string))],
    ['tokenizer.ggml.scores', 9, list(6, names.map(() => f32(0)))], ['tokenizer.ggml.token_type', 9, list(5, names.map((_, id) => u32(id === 0 ? 2 : id < 3 ? 3 : 6)))]];
  for (const [name, value] of Object.entries({context_length: 256, embedding_length: width, block_count: layers, feed_forward_length: hidden, 'attention.head_count': 1}))
    keys.push([`${architecture}.${name}`, 4, u32(value)]);
  for (const name of ['attention.layer_norm_rms_epsilon', 'logit_scale']) keys.push([`${architecture}.${name}`, 6, f32(name === 'logit_scale' ? 1 : 1e-5)]);
  const all = {...tensors};
  for (let i = 0; i < layers && architecture === 'qwen3'; i++)
    for (const part of ['q', 'k']) all[`blk.${i}.attn_${part}_norm.weight`] = [[width], 0, floats(width, () => 1)];
  for (const [name, [, type]] of Object.entries(tensors))
    for (const [part, scale] of Object.entries(scales))
      if (type === 40 && name.includes(`.${part}_`)) all[name.replace('weight', 'scale')] = [[1], 0, f32(scale)];
  const table = [], data = [];
  let at = 0;
  for (const [name, [shape, type, bytes]] of Object.entries(all)) {
    table.push(string(name), u32(shape.length), ...shape.map(u64), u32(type), u64(at));
    data.push(bytes, Buffer.alloc((32 - bytes.length % 32) % 32));
    at += Math.ceil(bytes.length / 32) * 32;
  }
  const header = Buffer.concat([Buffer.from('GGUF'), u32(3), u64(Object.keys(all).length), u64(keys.length), ...keys.flatMap(([name, type, value]) => [string(name), u32(type), value]), ...table]);
  return Buffer.concat([header, Buffer.alloc((32 - header.length % 32) % 32), ...data]);
}

// ---- measuring ----
const llama = await getLlama({build: 'never', gpu: false, logLevel: LlamaLogLevel.disabled, skipDownload: true});
const ids = Array.from({length: 50}, () => 3 + integer() % 256);
async function probabilities(architecture, scales) {
  fs.writeFileSync('model.gguf', gguf(architecture, scales));
  const model = await llama.loadModel({modelPath: 'model.gguf'});
  const context = await model.createContext({contextSize: 256, batchSize: 256, threads: 1, flashAttention: false});
  const outputs = await context.getSequence().controlledEvaluate(ids.map((id) => [id, {generateNext: {probabilities: true}}]));
  await model.dispose();
  const found = outputs.map((output) => names.map((_, id) => output.next.probabilities.get(id)));
  if (!found.flat().every(Number.isFinite)) throw new Error('a probability is no number');
  return JSON.stringify(found);
}
let changed = 0;
for (const [architecture, counts] of [['llama', true], ['mistral3', true], ['qwen3', true], ['qwen2', false], ['gemma', false], ['smollm3', false], ['granite', false], ['ernie4_5', false]]) {
  const first = await probabilities(architecture, {attn: 1, ffn: 1});
  const seen = [];
  for (const scales of [{attn: 0.001, ffn: 1}, {attn: 1, ffn: 0.001}, {}]) seen.push(await probabilities(architecture, scales) !== first);
  console.log(architecture.padEnd(8), ...seen.map((each) => each ? 'differ' : 'same  '));
  if (JSON.stringify(seen) !== JSON.stringify([true, counts, false])) changed++;
}
console.log(changed === 0 ? 'as it was seen' : `CHANGED: ${changed} rows`);
process.exit(changed === 0 ? 0 : 1);
END
cd "$tmp"
node measure.mjs
