// hf-encode.js - prints the ids that Hugging Face's library gives each document of a file, a line each, special tokens found in the
// text, or "refused: WHY" with --refuse. Documents are lines, or end with another character. With --spans each id is followed by its bytes: ID:START-END. What a file
// says of truncation, padding and special tokens around a text is left out.
// Usage: node hf-encode.js [--spans] [--refuse] [--end CODE] tokenizer.json TEXT   (needs the npm package @anush008/tokenizers, a binding of the library)
const fs = require('fs');
const { Tokenizer } = require('@anush008/tokenizers');

// The place in UTF-8 of each character of a text, and of its end.
function places(text) {
  const found = [0];
  let place = 0;
  for (const character of text) {
    const code = character.codePointAt(0);
    place += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    found.push(place);
  }
  return found;
}

async function main() {
  const options = process.argv.slice(2, -2);
  const [path, texts] = process.argv.slice(-2);
  const spans = options.includes('--spans');
  const end = options.includes('--end') ? String.fromCharCode(Number(options[options.indexOf('--end') + 1])) : '\n';
  const root = JSON.parse(fs.readFileSync(path, 'utf8'));
  const tokenizer = Tokenizer.fromString(JSON.stringify({ ...root, truncation: null, padding: null, post_processor: null }));
  const documents = fs.readFileSync(texts, 'utf8').split(end);
  documents.pop();
  const rows = [];
  for (const text of documents) {
    let encoding;
    try {
      encoding = await tokenizer.encode(text, null, { addSpecialTokens: false });
    } catch (error) {
      if (!options.includes('--refuse')) throw error;
      rows.push(`refused: ${String(error).replace(/\s+/g, ' ')}`);
      continue;
    }
    const ids = Array.from(encoding.getIds());
    if (!spans) {
      rows.push(ids.join(' '));
      continue;
    }
    const at = places(text);
    const offsets = encoding.getOffsets();
    rows.push(ids.map((id, i) => `${id}:${at[offsets[i][0]]}-${at[offsets[i][1]]}`).join(' '));
  }
  if (rows.length !== 0) fs.writeFileSync(1, rows.join('\n') + '\n');
}
main().catch((error) => { console.error(String(error)); process.exit(1); });
