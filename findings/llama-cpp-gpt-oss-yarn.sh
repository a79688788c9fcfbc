#!/bin/sh
# llama-cpp-gpt-oss-yarn.sh - llama.cpp turns gpt-oss's queries and keys by other angles than its makers do.
#
# Software:  npm packages node-llama-cpp 3.22.1 and @node-llama-cpp/linux-x64 3.22.1 (llama.cpp v0.5.0), on Linux on x86-64.
# Behaviour: YaRN stretches pairs of dimensions between two bounds. The config.json of gpt-oss has "truncate": false: the bounds are fractions, as in OpenAI's own
#            code, in transformers, and in vLLM and SGLang since they mended it. llama.cpp rounds them, 8.09 to 8 and 17.40 to 18. Its converter drops "truncate",
#            and a key rope.scaling.truncate in the file changes no bit of any probability.
# Surprise:  Rounding moves the frequencies of nine pairs, that of one by three quarters, in all layers and at all lengths. No published GGUF file of gpt-oss can say
#            otherwise.
# Hits:      whoever compares numbers of gpt-oss from llama.cpp, and from programs that are built on it, with those of other programs: angles are off by up to
#            0.2 radians between tokens that are 1000 apart, and by ten times that at 10000.
# Test:      A random model of two layers with gpt-oss's settings (heads of 64, base 150000, yarn 32 from 4096, window 128 in every other layer) reads 1000 random
#            tokens. Losses are compared with float64 computations with rounded bounds and with fractions.
# Seen:      pair, its frequency with rounded bounds over that with fractions, difference of angles in radians at a distance of 1000 tokens
#   9    0.9973 -0.0849
#   10   1.0060 0.1160
#   11   1.0173 0.2001
#   12   1.0325 0.2208
#   13   1.0542 0.2092
#   14   1.0876 0.1835
#   15   1.1459 0.1535
#   16   1.2727 0.1245
#   17   1.7627 0.0986
#            bounds, mean loss of llama.cpp, of float64, mean and greatest difference of a token's loss
#   rounded:    7.5697 7.5697 0.0000 0.0006
#   fractions:  7.5697 7.5594 0.0798 1.7392
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
npm install --silent --no-save --ignore-scripts --omit=optional --prefix "$tmp" node-llama-cpp@3.22.1 @node-llama-cpp/linux-x64@3.22.1
cat >"$tmp/measure.mjs" <<'END'
import fs from 'fs';
import {getLlama, LlamaLogLevel} from 'node-llama-cpp';

// ---- a random model and its GGUF file ----
const [layers, width, hidden, tokens, length, window, base, factor, original] = [2, 64, 32, 259, 1000, 128, 150000, 32, 4096];
let seed = 1;
function uniform() {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return (seed + 0.5) / 2 ** 32;
}
const normal = (deviation) => deviation * Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
const tensors = {}; // name: shape, values
const tensor = (name, shape, value) => tensors[name] = [shape, Float32Array.from({length: shape.reduce((a, b) => a * b)}, value)];
tensor('token_embd.weight', [width, tokens], () => normal(1));
for (let i = 0; i < layers; i++) {
  for (const name of ['attn_norm', 'post_attention_norm']) tensor(`blk.${i}.${name}.weight`, [width], () => 1);
  for (const name of ['attn_q', 'attn_k', 'attn_v', 'attn_output']) {
    tensor(`blk.${i}.${name}.weight`, [width, width], () => normal(0.25));
    tensor(`blk.${i}.${name}.bias`, [width], () => 0);
  }
  tensor(`blk.${i}.attn_sinks.weight`, [1], () => 0);
  tensor(`blk.${i}.ffn_gate_inp.weight`, [width, 1], () => 0);
  tensor(`blk.${i}.ffn_gate_inp.bias`, [1], () => 0);
  for (const [name, columns, rows] of [['gate', width, hidden], ['up', width, hidden], ['down', hidden, width]]) {
    tensor(`blk.${i}.ffn_${name}_exps.weight`, [columns, rows, 1], () => normal(0.1));
    tensor(`blk.${i}.ffn_${name}_exps.bias`, [rows, 1], () => 0);
  }
}
tensor('output_norm.weight', [width], () => 1);
tensor('output.weight', [width, tokens], () => normal(0.25));

const u32 = (value) => Buffer.from(Uint32Array.of(value).buffer), f32 = (value) => Buffer.from(Float32Array.of(value).buffer);
const u64 = (value) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer), string = (text) => Buffer.concat([u64(Buffer.byteLength(text)), Buffer.from(text)]);
const list = (type, values) => Buffer.concat([u32(type), u64(values.length), ...values]); // types: 4 u32, 5 i32, 6 f32, 7 bool, 8 string, 9 list
const names = ['<unk>', '<s>', '</s>', ...Array.from({length: 256}, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)];
function gguf(more) {
  const keys = [['general.architecture', 8, string('gpt-oss')], ['tokenizer.ggml.model', 8, string('llama')], ['tokenizer.ggml.tokens', 9, list(8, names.map(string))],
    ['tokenizer.ggml.scores', 9, list(6, names.map(() => f32(0)))], ['tokenizer.ggml.token_type', 9, list(5, names.map((_, id) => u32(id === 0 ? 2 : id < 3 ? 3 : 6)))]];
  for (const [name, value] of Object.entries({context_length: factor * original, embedding_length: width, block_count: layers, feed_forward_length: hidden,
    expert_feed_forward_length: hidden, expert_count: 1, expert_used_count: 1, 'attention.head_count': 1, 'attention.key_length': width, 'attention.value_length': width,
    'attention.sliding_window': window, 'rope.scaling.original_context_length': original})) keys.push([`gpt-oss.${name}`, 4, u32(value)]);
  for (const [name, value] of Object.entries({'attention.layer_norm_rms_epsilon': 1e-5, 'rope.freq_base': base, 'rope.scaling.factor': factor,
    'rope.scaling.yarn_beta_fast': 32, 'rope.scaling.yarn_beta_slow': 1})) keys.push([`gpt-oss.${name}`, 6, f32(value)]);
  keys.push(['gpt-oss.rope.scaling.type', 8, string('yarn')], ...more);
  const table = [], data = [];
  let at = 0;
  for (const [name, [shape, values]] of Object.entries(tensors)) {
    table.push(string(name), u32(shape.length), ...shape.map(u64), u32(0), u64(at));
    data.push(Buffer.from(values.buffer), Buffer.alloc((32 - values.byteLength % 32) % 32));
    at += Math.ceil(values.byteLength / 32) * 32;
  }
  const header = Buffer.concat([Buffer.from('GGUF'), u32(3), u64(Object.keys(tensors).length), u64(keys.length), ...keys.flatMap(([name, type, value]) => [string(name), u32(type), value]), ...table]);
  return Buffer.concat([header, Buffer.alloc((32 - header.length % 32) % 32), ...data]);
}

// ---- frequencies, and the loss of each token but the first, in float64 ----
function frequencies(rounded) {
  const bound = (turns) => width * Math.log(original / (turns * 2 * Math.PI)) / (2 * Math.log(base)); // the pair that turns so often within the original length
  const [low, high] = rounded ? [Math.floor(bound(32)), Math.ceil(bound(1))] : [bound(32), bound(1)];
  return Array.from({length: width / 2}, (_, pair) => {
    const stretched = Math.min(1, Math.max(0, (pair - low) / (high - low)));
    return base ** (-2 * pair / width) * (1 - stretched + stretched / factor);
  });
}
function losses(turning, ids) {
  const get = (name) => tensors[name][1], dot = (x, y, at = 0) => { let sum = 0; for (let i = 0; i < x.length; i++) sum += x[i] * y[at + i]; return sum; };
  const times = (name, x) => Array.from({length: get(name).length / x.length}, (_, i) => dot(x, get(name), i * x.length));
  const norm = (x) => { const scale = 1 / Math.sqrt(dot(x, x) / width + 1e-5); return x.map((value) => value * scale); }, add = (x, y) => x.map((value, i) => value + y[i]);
  const magnitude = 0.1 * Math.log(factor) + 1, half = width / 2;
  const rotate = (x, t) => x.map((value, i) => magnitude * (value * Math.cos(t * turning[i % half]) + (i < half ? -x[i + half] : x[i - half]) * Math.sin(t * turning[i % half])));
  let states = ids.map((id) => Array.from(get('token_embd.weight').subarray(id * width, (id + 1) * width)));
  for (let layer = 0; layer < layers; layer++) {
    const by = (name, x) => times(`blk.${layer}.${name}.weight`, x), inputs = states.map(norm), values = inputs.map((x) => by('attn_v', x));
    const [queries, keys] = ['attn_q', 'attn_k'].map((name) => inputs.map((x, t) => rotate(by(name, x), t)));
    states = states.map((x, t) => {
      const first = layer % 2 === 0 ? Math.max(0, t - window + 1) : 0;
      const weights = keys.slice(first, t + 1).map((key) => Math.exp(dot(key, queries[t]) / Math.sqrt(width))), total = weights.reduce((a, b) => a + b, 1); // 1: the sink
      const mixed = new Array(width).fill(0);
      weights.forEach((weight, s) => values[first + s].forEach((value, i) => mixed[i] += weight / total * value));
      const y = add(x, by('attn_output', mixed)), up = by('ffn_up_exps', norm(y)), clip = (value, low) => Math.max(low, Math.min(7, value));
      return add(y, by('ffn_down_exps', by('ffn_gate_exps', norm(y)).map((gate, i) => clip(gate, -Infinity) / (1 + Math.exp(-1.702 * clip(gate, -Infinity))) * (clip(up[i], -7) + 1))));
    });
  }
  const logits = states.map((x) => times('output.weight', norm(x)));
  return ids.slice(1).map((id, t) => Math.log(logits[t].reduce((sum, value) => sum + Math.exp(value), 0)) - logits[t][id]);
}

// ---- measuring ----
const llama = await getLlama({build: 'never', gpu: false, logLevel: LlamaLogLevel.disabled, skipDownload: true});
const ids = Array.from({length}, () => 3 + Math.floor(256 * uniform())), mean = (values) => values.reduce((a, b) => a + b) / values.length;
async function measure(more) {
  fs.writeFileSync('model.gguf', gguf(more));
  const model = await llama.loadModel({modelPath: 'model.gguf'});
  const context = await model.createContext({contextSize: 1024, batchSize: 1024, flashAttention: false, experimentalKvCacheKeyType: 'F32', experimentalKvCacheValueType: 'F32'});
  const outputs = await context.getSequence().controlledEvaluate(ids.map((id) => [id, {generateNext: {probabilities: true}}]));
  await model.dispose();
  return ids.slice(1).map((id, t) => -Math.log(outputs[t].next.probabilities.get(id)));
}
const [rounded, exact] = [frequencies(true), frequencies(false)];
rounded.forEach((value, pair) => value !== exact[pair] && console.log(String(pair).padEnd(4), (value / exact[pair]).toFixed(4), ((value - exact[pair]) * 1000).toFixed(4)));
const found = await measure([]), told = await measure([['gpt-oss.rope.scaling.truncate', 7, Buffer.from([0])]]);
let changed = JSON.stringify(found) === JSON.stringify(told) ? 0 : 1;
console.log('rope.scaling.truncate = false:', changed === 0 ? 'the same losses' : 'other losses');
for (const [name, turning, agree] of [['rounded', rounded, true], ['fractions', exact, false]]) {
  const due = losses(turning, ids), apart = due.map((loss, t) => Math.abs(found[t] - loss)), worst = Math.max(...apart);
  console.log(`bounds ${name}:`.padEnd(18), mean(found).toFixed(4), mean(due).toFixed(4), mean(apart).toFixed(4), worst.toFixed(4));
  if ((worst < 0.002) !== agree || !Number.isFinite(worst)) changed++;
}
console.log(changed === 0 ? 'as it was seen' : `CHANGED: ${changed} rows`);
process.exit(changed === 0 ? 0 : 1);
END
cd "$tmp"
node measure.mjs
