// llama-cpp.mjs - writes the ids that llama.cpp gives each text of a file, whose texts are ended by NULs. Usage: node llama-cpp.mjs
// VOCABULARY.gguf TEXTS OUT (needs the npm package node-llama-cpp, a binding of llama.cpp, in one of the folders of NODE_PATH)
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
  const model = await llama.loadModel({modelPath: process.argv[2], vocabOnly: true});
  const texts = fs.readFileSync(process.argv[3], 'utf8').split('\0');
  texts.pop();
  fs.writeFileSync(process.argv[4], texts.map((text) => Array.from(model.tokenize(text, false)).join(' ') + '\n').join(''));
}
process.exit(0);
