// npm_peer.js - how fast the tokenizers of npm packages are: prints seconds, bytes and tokens. The text is given in pieces of whole
// lines, some 64 KB each; reading and loading are not counted.
// Usage: node npm_peer.js tiktoken ENCODING TEXT; node npm_peer.js hf tokenizer.json TEXT
const fs = require('fs');

const [kind, name, path] = process.argv.slice(2);

function pieces(bytes) {
  const found = [];
  for (let at = 0; at < bytes.length;) {
    const newline = bytes.indexOf(10, at + 65536);
    const end = newline < 0 ? bytes.length : newline + 1;
    found.push(bytes.subarray(at, end).toString('utf8'));
    at = end;
  }
  return found;
}

async function main() {
  const bytes = fs.readFileSync(path);
  const texts = pieces(bytes);
  let encode;
  if (kind === 'tiktoken') {
    const encoding = require('tiktoken').get_encoding(name);
    encode = (text) => encoding.encode_ordinary(text).length;
  } else {
    const tokenizer = require('@anush008/tokenizers').Tokenizer.fromFile(name);
    encode = async (text) => (await tokenizer.encode(text, null, { addSpecialTokens: false })).getIds().length;
  }
  await encode('warm up');
  const start = process.hrtime.bigint();
  let tokens = 0;
  for (const text of texts) tokens += await encode(text);
  console.log(`${Number(process.hrtime.bigint() - start) * 1e-9} ${bytes.length} ${tokens}`);
}
main().catch((error) => { console.error(String(error)); process.exit(1); });
