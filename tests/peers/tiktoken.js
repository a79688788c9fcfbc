// tiktoken.js - the npm package tiktoken as a judge: prints an encoding's file, or the ids of each line of a text.
// Usage: node tiktoken.js file ENCODING; node tiktoken.js encode ENCODING TEXT
const fs = require('fs');
const { get_encoding } = require('tiktoken');

const [what, name, path] = process.argv.slice(2);
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
