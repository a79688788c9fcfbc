// unicode.js - which characters the original programs find by a pattern for one character: prints a line for each pattern of standard input,
// FIRST-LAST of each range in hexadecimal, or "refused".
// Usage: node unicode.js hf|tiktoken < PATTERNS   (needs the npm package @anush008/tokenizers, or tiktoken)
const fs = require('fs');

const codes = [];
for (let code = 0; code < 0x110000; code++) if (code < 0xD800 || code > 0xDFFF) codes.push(code);
const parts = [];
for (let i = 0; i < codes.length; i += 1000) parts.push(String.fromCodePoint(...codes.slice(i, i + 1000)));
const text = parts.join('');

function ranges(found) {
  const list = [];
  for (const code of found) {
    if (list.length !== 0 && list[list.length - 1][1] === code - 1) list[list.length - 1][1] = code;
    else list.push([code, code]);
  }
  return list.map((range) => range.map((code) => code.toString(16)).join('-')).join(' ');
}

// What is left of the text when the matches are taken out.
async function byTokenizers(pattern) {
  const { Tokenizer } = require('@anush008/tokenizers');
  const tokenizer = Tokenizer.fromString(JSON.stringify({
    version: '1.0', truncation: null, padding: null, added_tokens: [], normalizer: null, post_processor: null, decoder: null,
    pre_tokenizer: { type: 'Split', pattern: { Regex: pattern }, behavior: 'Removed', invert: false },
    model: { type: 'WordLevel', vocab: { u: 0 }, unk_token: 'u' },
  }));
  const encoding = await tokenizer.encode(text, null, { addSpecialTokens: false });
  const found = new Uint8Array(codes.length).fill(1);
  for (const [start, end] of encoding.getOffsets()) found.fill(0, start, end);
  return ranges(codes.filter((code, i) => found[i]));
}

// The matches, written in bytes.
async function byTiktoken(pattern) {
  const { Tiktoken } = require('tiktoken');
  const bytes = Array.from({ length: 256 }, (_, byte) => Buffer.from([byte]).toString('base64'));
  const encoding = new Tiktoken(`! 0 ${bytes.join(' ')}`, {}, pattern);
  const ids = encoding.encode_ordinary(text);
  encoding.free();
  return ranges(Array.from(Buffer.from(Uint8Array.from(ids)).toString('utf8'), (character) => character.codePointAt(0)));
}

async function main() {
  const ask = process.argv[2] === 'hf' ? byTokenizers : byTiktoken;
  for (const pattern of fs.readFileSync(0, 'utf8').split('\n').filter((line) => line !== '')) {
    let row = 'refused';
    try {
      row = await ask(pattern);
    } catch (error) { /* it is not known there */ }
    fs.writeSync(1, row + '\n');
  }
}
main();
