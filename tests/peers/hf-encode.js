// hf-encode.js - prints the ids that Hugging Face's library gives each line of a file, special tokens found in the text.
// Usage: node hf-encode.js tokenizer.json TEXT   (needs the npm package @anush008/tokenizers, a binding of the library)
const fs = require('fs');
const { Tokenizer } = require('@anush008/tokenizers');

async function main() {
  const tokenizer = Tokenizer.fromFile(process.argv[2]);
  const lines = fs.readFileSync(process.argv[3], 'utf8').split('\n');
  lines.pop();
  const rows = [];
  for (const line of lines) {
    const encoding = await tokenizer.encode(line, null, { addSpecialTokens: false });
    rows.push(Array.from(encoding.getIds()).join(' '));
  }
  fs.writeSync(1, rows.length ? rows.join('\n') + '\n' : '');
}
main().catch((error) => { console.error(String(error)); process.exit(1); });
