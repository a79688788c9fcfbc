// llama-scores.mjs - losses by llama.cpp. Each line of standard input is {"model": PATH, "ids": [ID, ...]}; each gets a line of output, the losses of all tokens
// but the first, or {"error": TEXT} (needs the npm package node-llama-cpp in one of the folders of NODE_PATH)
import fs from 'fs';
import path from 'path';
import readline from 'readline';
import {pathToFileURL} from 'url';

const folder = (process.env.NODE_PATH ?? '').split(':').map((each) => path.join(each, 'node-llama-cpp'))
  .find((each) => fs.existsSync(path.join(each, 'package.json')));
if (folder === undefined)
  process.exit(77);
const {getLlama, LlamaLogLevel} = await import(pathToFileURL(path.join(folder, 'dist', 'index.js')).href);
let said = '';
const llama = await getLlama({build: 'never', gpu: false, logLevel: LlamaLogLevel.error, logger: (_, text) => said += text, skipDownload: true});
const print = (value) => fs.writeSync(1, JSON.stringify(value) + '\n');
for await (const line of readline.createInterface({input: process.stdin})) {
  const {model: modelPath, ids, context: contextSize = 256} = JSON.parse(line);
  said = '';
  try {
    const model = await llama.loadModel({modelPath});
    const context = await model.createContext({contextSize, batchSize: 256, threads: 1, flashAttention: false, experimentalKvCacheKeyType: 'F32',
      experimentalKvCacheValueType: 'F32'});
    const outputs = await context.getSequence().controlledEvaluate(ids.map((id) => [id, {generateNext: {probabilities: true}}]));
    print(ids.slice(1).map((id, t) => -Math.log(outputs[t].next.probabilities.get(id))));
    await model.dispose();
  } catch (error) {
    print({error: `${error.message ?? error}: ${said}`});
  }
}
process.exit(0);
