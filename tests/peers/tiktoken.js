// tiktoken.js - the npm package tiktoken as a judge: prints an encoding's file, or the ids of each line of a text, also those of a file of
// ranks with the pattern that its model's makers have for it, or a tekken.json, whose texts end with another character.
// Usage: node tiktoken.js file ENCODING; node tiktoken.js encode ENCODING TEXT; node tiktoken.js ranks FILE TEXTS CODE
const fs = require('fs');
const { get_encoding, Tiktoken } = require('tiktoken');

const contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const rest = ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const cl100k = `${contractions}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|${rest}`;
const gpt2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
const cased = (no) => `[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}${no}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}${no}]+${contractions}?|` +
  `[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}${no}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}${no}]*${contractions}?`;
const o200k = `${cased('')}|\\p{N}{1,3}|${rest.replace('\\r\\n]*', '\\r\\n/]*')}`;
// By the number of ranks.
const patterns = {
  50256: gpt2, 50280: gpt2, 100256: cl100k, 128000: cl100k, 199998: o200k, 200000: o200k,
  151643: cl100k.replace('\\p{N}{1,3}', '\\p{N}'), 163584: `[\\p{Han}]+|${cased('&&[^\\p{Han}]')}|\\p{N}{1,3}|${rest}`,
};

const [what, name, path, code] = process.argv.slice(2);
if (what === 'ranks') {
  const file = fs.readFileSync(name, 'utf8');
  const tekken = file.startsWith('{') ? JSON.parse(file) : undefined;
  const specials = tekken ? tekken.config.default_num_special_tokens : 0;
  const lines = tekken
    ? tekken.vocab.slice(0, tekken.config.default_vocab_size - specials).map((entry) => [entry.token_bytes, entry.rank])
    : file.split(/\r?\n/).filter((line) => line !== '').map((line) => line.split(' '));
  const largest = lines.reduce((most, line) => Math.max(most, Number(line[1])), 0);
  const strings = Array(largest + 1).fill('');
  for (const [text, rank] of lines) strings[rank] = text;
  const pattern = tekken ? tekken.config.pattern : patterns[lines.length];
  if (pattern === undefined) {
    console.error(`${lines.length} ranks: none of the known encodings`);
    process.exit(1);
  }
  // The package takes ranks in a row: where one is left out, another row begins.
  const rows = [];
  strings.forEach((text, rank) => {
    if (text === '') return;
    if (rank === 0 || strings[rank - 1] === '') rows.push(['!', rank]);
    rows[rows.length - 1].push(text);
  });
  const encoding = new Tiktoken(rows.map((row) => row.join(' ')).join('\n'), {}, pattern);
  const texts = fs.readFileSync(path, 'utf8').split(String.fromCharCode(Number(code)));
  texts.pop();
  const nfc = lines.length === 151643; // as Qwen's makers do
  const encode = (text) => Array.from(encoding.encode_ordinary(nfc ? text.normalize('NFC') : text)).map((id) => id + specials);
  fs.writeFileSync(1, texts.map((text) => encode(text).join(' ') + '\n').join(''));
  process.exit(0);
}
const encoding = get_encoding(name);
let rows;
if (what === 'file') {
  const ranks = encoding.token_byte_values().map((bytes) => Buffer.from(bytes)).map((bytes) => [encoding.encode_single_token(bytes), bytes]);
  rows = ranks.sort((a, b) => a[0] - b[0]).map(([rank, bytes]) => bytes.toString('base64') + ' ' + rank);
} else {
  const lines = fs.readFileSync(path, 'utf8').split('\n');
  lines.pop();
  rows = lines.map((line) => Array.from(encoding.encode_ordinary(line)).join(' '));
}
fs.writeFileSync(1, rows.join('\n') + '\n');
