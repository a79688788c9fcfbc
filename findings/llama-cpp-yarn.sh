#!/bin/sh
# llama-cpp-yarn.sh - llama.cpp does not read the YaRN settings that its own converter writes for a Llama model.
#
# Software:  npm packages node-llama-cpp 3.22.1 and @node-llama-cpp/linux-x64 3.22.1 (llama.cpp v0.5.0), on Linux on x86-64.
# Behaviour: In a GGUF file of the architecture "llama" with rope.scaling.type = yarn, the keys yarn_beta_fast, yarn_beta_slow, yarn_attn_factor and
#            yarn_ext_factor of rope.scaling change no bit of any probability: llama.cpp computes with 32, 1, 0.1 ln(factor) + 1 and 1 whatever they
#            say. It logs them and does not warn. It does read rope.scaling.attn_factor. Once the same tensors and keys are called "mistral3", which
#            is the same computation, the two betas count; the other two keys still do not.
# Surprise:  llama.cpp's converter writes beta_fast, beta_slow, attention_factor and extrapolation_factor of a config.json to exactly these keys.
#            Nobody expects that the name of the architecture decides whether settings of RoPE count, or that "attn_factor" and
#            "yarn_attn_factor" are two settings of which one does nothing.
# Hits:      whoever trains a Llama model with other betas or another attention factor and converts it: the file holds the right settings, loads
#            without a word, and is another model.
# Test:      A random model of two layers, written here, reads 200 random tokens. Its mean loss is compared with that of a float64 computation that
#            follows the keys. "worst" is the greatest difference of one token's loss between the two.
# Seen:      what is added to factor = 4, whether the probabilities are those of "llama" without it, loss of llama.cpp, loss by the keys, worst
#   llama {"yarn_beta_fast":2,"yarn_beta_slow":0.1}      same   6.1871 6.2571 4.8711
#   llama {"yarn_attn_factor":2}                         same   6.1871 6.1883 4.4264
#   llama {"yarn_ext_factor":0.5}                        same   6.1871 6.1925 4.8204
#   llama {"attn_factor":2}                              differ 6.1936 6.1936 0.0001
#   llama {"factor":8}                                   differ 6.2307 6.2307 0.0000
#   mistral3 {}                                          same   6.1871 6.1871 0.0000
#   mistral3 {"yarn_beta_fast":2,"yarn_beta_slow":0.1}   differ 6.2571 6.2571 0.0000
#   mistral3 {"yarn_attn_factor":2}                      same   6.1871 6.1883 4.4264
#   mistral3 {"yarn_ext_factor":0.5}                     same   6.1871 6.1925 4.8204
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
npm install --silent --no-save --ignore-scripts --omit=optional --prefix "$tmp" node-llama-cpp@3.22.1 @node-llama-cpp/linux-x64@3.22.1
cat >"$tmp/measure.mjs" <<'END'
import fs from 'fs';
import {getLlama, LlamaLogLevel} from 'node-llama-cpp';

// ---- a random model and its GGUF file ----
const [layers, width, hidden, tokens, window, original, base] = [2, 32, 64, 259, 256, 64, 10000];
let seed = 1;
function uniform() {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return (seed + 0.5) / 2 ** 32;
}
const normal = (deviation) => deviation * Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
const tensors = {}; // name: shape and values; norms are all ones
function tensor(name, shape, deviation) {
  tensors[`${name}.weight`] = [shape, Float32Array.from({length: shape.reduce((a, b) => a * b)}, () => deviation ? normal(deviation) : 1)];
}
tensor('token_embd', [width, tokens], 1);
for (let i = 0; i < layers; i++) {
  for (const name of ['attn_norm', 'ffn_norm']) tensor(`blk.${i}.${name}`, [width]);
  for (const name of ['attn_q', 'attn_k', 'attn_v', 'attn_output']) tensor(`blk.${i}.${name}`, [width, width], 0.3);
  for (const name of ['ffn_gate', 'ffn_up']) tensor(`blk.${i}.${name}`, [width, hidden], 0.2);
  tensor(`blk.${i}.ffn_down`, [hidden, width], 0.2);
}
tensor('output_norm', [width]);
tensor('output', [width, tokens], 0.2);

const u32 = (value) => Buffer.from(Uint32Array.of(value).buffer), f32 = (value) => Buffer.from(Float32Array.of(value).buffer);
const u64 = (value) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer), string = (text) => Buffer.concat([u64(Buffer.byteLength(text)), Buffer.from(text)]);
const list = (type, values) => Buffer.concat([u32(type), u64(values.length), ...values]); // types: 4 u32, 5 i32, 6 f32, 8 string, 9 list
const names = ['<unk>', '<s>', '</s>', ...Array.from({length: 256}, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)];
function gguf(architecture, scaling) {
  const keys = [['general.architecture', 8, string(architecture)], ['tokenizer.ggml.model', 8, string('llama')], ['tokenizer.ggml.tokens', 9, list(8, names.map(string))],
    ['tokenizer.ggml.scores', 9, list(6, names.map(() => f32(0)))], ['tokenizer.ggml.token_type', 9, list(5, names.map((_, id) => u32(id === 0 ? 2 : id < 3 ? 3 : 6)))],
    [`${architecture}.rope.scaling.type`, 8, string('yarn')]];
  for (const [name, value] of Object.entries({context_length: window, embedding_length: width, block_count: layers, feed_forward_length: hidden,
    'attention.head_count': 1, 'rope.dimension_count': width, 'rope.scaling.original_context_length': original})) keys.push([`${architecture}.${name}`, 4, u32(value)]);
  for (const [name, value] of Object.entries({'attention.layer_norm_rms_epsilon': 1e-5, 'rope.freq_base': base})) keys.push([`${architecture}.${name}`, 6, f32(value)]);
  for (const [name, value] of Object.entries(scaling)) keys.push([`${architecture}.rope.scaling.${name}`, 6, f32(value)]);
  const table = [], all = Object.entries(tensors);
  let at = 0;
  for (const [name, [shape, values]] of all) { // each a multiple of 32 bytes long
    table.push(string(name), u32(shape.length), ...shape.map(u64), u32(0), u64(at));
    at += values.byteLength;
  }
  const header = Buffer.concat([Buffer.from('GGUF'), u32(3), u64(all.length), u64(keys.length), ...keys.flatMap(([name, type, value]) => [string(name), u32(type), value]), ...table]);
  return Buffer.concat([header, Buffer.alloc((32 - header.length % 32) % 32), ...all.map(([, [, values]]) => Buffer.from(values.buffer))]);
}

// ---- the loss of each token but the first, in float64, as the keys say ----
function losses(keys, ids) {
  const get = (name) => tensors[`${name}.weight`][1], dot = (x, y, at = 0) => x.reduce((sum, value, i) => sum + value * y[at + i], 0);
  const times = (name, x) => Array.from({length: get(name).length / x.length}, (_, i) => dot(x, get(name), i * x.length));
  const norm = (x) => x.map((value) => value / Math.sqrt(dot(x, x) / width + 1e-5)), add = (x, y) => x.map((value, i) => value + y[i]);
  const bound = (turns) => width * Math.log(original / (turns * 2 * Math.PI)) / (2 * Math.log(base)); // the pair that turns so often within the original length
  const low = Math.max(0, Math.floor(bound(keys.yarn_beta_fast ?? 32))), high = Math.min(width - 1, Math.ceil(bound(keys.yarn_beta_slow ?? 1)));
  const scale = (keys.yarn_attn_factor ?? 1 + 0.1 * Math.log(keys.factor)) * (keys.attn_factor ?? 1);
  const rotate = (x, t) => x.map((value, i) => {
    const pair = i >> 1, kept = (keys.yarn_ext_factor ?? 1) * (1 - Math.min(1, Math.max(0, (pair - low) / (high - low))));
    const angle = t * base ** (-2 * pair / width) * (kept + (1 - kept) / keys.factor);
    return scale * (value * Math.cos(angle) + (i % 2 === 0 ? -x[i + 1] : x[i - 1]) * Math.sin(angle));
  });
  let states = ids.map((id) => Array.from(get('token_embd').subarray(id * width, (id + 1) * width)));
  for (let layer = 0; layer < layers; layer++) {
    const by = (name, x) => times(`blk.${layer}.${name}`, x), inputs = states.map(norm), values = inputs.map((x) => by('attn_v', x));
    const [queries, keys] = ['attn_q', 'attn_k'].map((name) => inputs.map((x, t) => rotate(by(name, x), t)));
    states = states.map((x, t) => {
      const weights = keys.slice(0, t + 1).map((key) => Math.exp(dot(key, queries[t]) / Math.sqrt(width))), total = weights.reduce((a, b) => a + b);
      const y = add(x, by('attn_output', x.map((_, i) => weights.reduce((sum, weight, s) => sum + weight * values[s][i], 0) / total))), up = by('ffn_up', norm(y));
      return add(y, by('ffn_down', by('ffn_gate', norm(y)).map((gate, i) => gate / (1 + Math.exp(-gate)) * up[i])));
    });
  }
  const logits = states.map((x) => times('output', norm(x)));
  return ids.slice(1).map((id, t) => Math.log(logits[t].reduce((sum, value) => sum + Math.exp(value), 0)) - logits[t][id]);
}

// ---- measuring ----
const llama = await getLlama({build: 'never', gpu: false, logLevel: LlamaLogLevel.disabled, skipDownload: true});
const ids = Array.from({length: 200}, () => 3 + Math.floor(256 * uniform())), mean = (values) => values.reduce((a, b) => a + b) / values.length;
async function probabilities(architecture, scaling) {
  fs.writeFileSync('model.gguf', gguf(architecture, scaling));
  const model = await llama.loadModel({modelPath: 'model.gguf'});
  const context = await model.createContext({contextSize: window, batchSize: window, threads: 1, flashAttention: false, experimentalKvCacheKeyType: 'F32', experimentalKvCacheValueType: 'F32'});
  const outputs = await context.getSequence().controlledEvaluate(ids.map((id) => [id, {generateNext: {probabilities: true}}]));
  await model.dispose();
  return outputs.map((output) => names.map((_, id) => output.next.probabilities.get(id)));
}
const bounds = {yarn_beta_fast: 2, yarn_beta_slow: 0.1}, attention = {yarn_attn_factor: 2}, extrapolation = {yarn_ext_factor: 0.5};
const first = JSON.stringify(await probabilities('llama', {factor: 4}));
let changed = 0;
for (const [architecture, added, counts] of [['llama', bounds, false], ['llama', attention, false], ['llama', extrapolation, false], ['llama', {attn_factor: 2}, true],
  ['llama', {factor: 8}, true], ['mistral3', {}], ['mistral3', bounds, true], ['mistral3', attention, false], ['mistral3', extrapolation, false]]) {
  const keys = {factor: 4, ...added}, found = await probabilities(architecture, keys), due = losses(keys, ids), got = due.map((_, t) => -Math.log(found[t][ids[t + 1]]));
  const same = JSON.stringify(found) === first, worst = Math.max(...got.map((loss, t) => Math.abs(loss - due[t])));
  console.log(`${architecture} ${JSON.stringify(added)}`.padEnd(52), same ? 'same  ' : 'differ', mean(got).toFixed(4), mean(due).toFixed(4), worst.toFixed(4));
  if (same === (counts ?? false) || (worst < 0.002) !== (counts ?? true)) changed++;
}
console.log(changed === 0 ? 'as it was seen' : `CHANGED: ${changed} rows`);
process.exit(changed === 0 ? 0 : 1);
END
cd "$tmp"
node measure.mjs
