// llama-losses.mjs - compares losses with those of llama.cpp. Usage: node llama-losses.mjs NAME MODEL.gguf LOSSES [TEXT], a line "ID LOSS" each
// token, of which the first has no loss; of a TEXT, whose tokens these are, the ids are compared too
// (needs the npm package node-llama-cpp, a binding of llama.cpp, in one of the folders of NODE_PATH)
import fs from 'fs';
import path from 'path';
import {pathToFileURL} from 'url';

const folder = (process.env.NODE_PATH ?? '').split(':').map((each) => path.join(each, 'node-llama-cpp'))
  .find((each) => fs.existsSync(path.join(each, 'package.json')));
if (folder === undefined) {
  console.error('skipped: no npm package node-llama-cpp in NODE_PATH');
  process.exit(77);
}
const {getLlama, LlamaLogLevel} = await import(pathToFileURL(path.join(folder, 'dist', 'index.js')).href);
const llama = await getLlama({build: 'never', gpu: false, logLevel: LlamaLogLevel.disabled, skipDownload: true});
if (process.argv.length > 2) {
  const [name, file, losses, text] = process.argv.slice(2);
  const lines = fs.readFileSync(losses, 'utf8').trim().split('\n').map((line) => line.split(' ').map(Number));
  const model = await llama.loadModel({modelPath: file});
  if (text !== undefined) {
    const ids = [...model.tokenize(fs.readFileSync(text, 'utf8'), false)];
    const ours = lines.map(([id]) => id);
    if (ours[0] === model.tokens.bos && model.tokens.shouldPrependBosToken)
      ours.shift();
    if (ids.join() !== ours.join()) {
      const at = ids.findIndex((id, i) => id !== ours[i]);
      console.log(`${name}: FAILED: token ${at} of ${ids.length}: ${ours[at]}, llama.cpp has ${ids[at]}`);
      process.exit(1);
    }
  }
  const context = await model.createContext({contextSize: 256, batchSize: 256, flashAttention: false,
    experimentalKvCacheKeyType: 'F32', experimentalKvCacheValueType: 'F32'});
  const sequence = context.getSequence();
  const outputs = await sequence.controlledEvaluate(lines.map(([id]) => [id, {generateNext: {probabilities: true}}]));
  let worst = 0, sum = 0;
  for (let t = 1; t < lines.length; t++) {
    const error = -Math.log(outputs[t - 1].next.probabilities.get(lines[t][0])) - lines[t][1];
    worst = error <= worst && -error <= worst ? worst : Math.abs(error);
    sum += error;
  }
  const mean = Math.abs(sum / (lines.length - 1)), good = worst < 2e-3 && mean < 2e-4;
  console.log(`${name}: ${lines.length - 1} losses, worst difference ${worst.toExponential(1)}, of the mean ${mean.toExponential(1)}${good ? '' : ' FAILED'}`);
  process.exit(good ? 0 : 1);
}
process.exit(0);
