// llama-generate.mjs - asks llama.cpp (npm package node-llama-cpp, in one of the folders of NODE_PATH) what it generates. Usage:
// llama-generate.mjs ends MODEL.gguf: the ids of the tokens that end a text.
// llama-generate.mjs generate MODEL.gguf N PROMPT [PENALTY LAST]...: for each penalty a line with the ids of N most probable tokens after BOS and
// the prompt.
import fs from 'fs';
import path from 'path';
import {pathToFileURL} from 'url';

const folder = (process.env.NODE_PATH ?? '').split(':').map((each) => path.join(each, 'node-llama-cpp'))
  .find((each) => fs.existsSync(path.join(each, 'package.json')));
if (folder === undefined) {
  console.log('skipped: no npm package node-llama-cpp in NODE_PATH');
  process.exit(77);
}
const [what, file, most, prompt, ...cases] = process.argv.slice(2);
if (what === undefined)
  process.exit(0);
const {getLlama, LlamaLogLevel} = await import(pathToFileURL(path.join(folder, 'dist', 'index.js')).href);
const llama = await getLlama({build: 'never', gpu: false, logLevel: LlamaLogLevel.disabled, skipDownload: true});
const model = await llama.loadModel({modelPath: file});
if (what === 'ends') {
  const tokens = model.fileInfo.metadata.tokenizer.ggml.tokens.length;
  console.log(Array.from({length: tokens}, (_, id) => id).filter((id) => model.isEogToken(id)).join(' '));
  process.exit(0);
}
const context = await model.createContext({contextSize: 256, batchSize: 256, threads: 1, flashAttention: false,
  experimentalKvCacheKeyType: 'F32', experimentalKvCacheValueType: 'F32'});
const sequence = context.getSequence();
for (let i = 0; i + 1 < cases.length; i += 2) {
  const [penalty, last] = [Number(cases[i]), Number(cases[i + 1])];
  const text = [model.tokens.bos, ...model.tokenize(prompt, false)], begin = text.length;
  const window = () => (last < 0 ? text : last === 0 ? [] : text.slice(-last));
  const repeatPenalty = {punishTokens: window, penalty, frequencyPenalty: 0, presencePenalty: 0};
  await sequence.clearHistory();
  for await (const id of sequence.evaluate([...text], {temperature: 0, repeatPenalty, yieldEogToken: true})) {
    if (model.isEogToken(id))
      break;
    text.push(id);
    if (text.length === begin + Number(most))
      break;
  }
  console.log(text.slice(begin).join(','));
}
process.exit(0);
