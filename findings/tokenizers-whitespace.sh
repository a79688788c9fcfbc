#!/bin/sh
# tokenizers-whitespace.sh - the pre-tokenizer Whitespace of a tokenizer.json is not the pattern that its documentation gives for it.
#
# Software:  npm package @anush008/tokenizers 0.6.0 (a binding of Hugging Face's library tokenizers 0.22.2), on Linux on x86-64.
# Behaviour: Whitespace is documented as the pattern \w+|[^\w\s]+. A Split with that very pattern, which keeps the matches and drops what lies between
#            them, treats eight characters differently: U+200C and U+200D, the joiners, belong to a word for Whitespace alone, and ² ³ ¹ ¼ ½ ¾ for the
#            Split alone. The library runs the two in different engines, whose \w differ.
# Surprise:  It is the same pattern in the same library. Both agree on plain English, so that no test on English shows it.
# Hits:      whoever replaces Whitespace by a pattern (to change a detail), or implements Whitespace from its documentation. Persian writes U+200C within
#            words and Sinhala U+200D within letters: by the pattern such words fall apart.
# Test:      Pre-tokens of "aXa" for each character X of Unicode, and of Persian, Sinhala and English words.
# Seen:
#   within words by Whitespace            144667
#   within words by the pattern           144671
#   by Whitespace alone                   U+200C U+200D
#   by the pattern alone                  U+00B2 U+00B3 U+00B9 U+00BC U+00BD U+00BE
#   pre-tokens of Persian by Whitespace   4
#   pre-tokens of Persian by pattern      8
#   pre-tokens of Sinhala by Whitespace   2
#   pre-tokens of Sinhala by pattern      4
#   pre-tokens of English by Whitespace   17
#   pre-tokens of English by pattern      17
#   pre-tokens of area by Whitespace      7
#   pre-tokens of area by pattern         5
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
npm install --silent --no-save --prefix "$tmp" @anush008/tokenizers@0.6.0
cat >"$tmp/measure.js" <<'END'
const { Tokenizer } = require('@anush008/tokenizers');

// The first character and the end of each pre-token.
async function spans(text, step) {
  const tokenizer = Tokenizer.fromString(JSON.stringify({
    version: '1.0', truncation: null, padding: null, added_tokens: [], normalizer: null, post_processor: null, decoder: null,
    pre_tokenizer: step, model: { type: 'WordLevel', vocab: { u: 0 }, unk_token: 'u' },
  }));
  return (await tokenizer.encode(text, null, { addSpecialTokens: false })).getOffsets();
}
const steps = { Whitespace: { type: 'Whitespace' },
  pattern: { type: 'Split', pattern: { Regex: '\\w+|[^\\w\\s]+' }, behavior: 'Removed', invert: true } }; // inverted: what is between the matches goes
const codes = Array.from({ length: 0x110000 }, (_, code) => code).filter((code) => code < 0xD800 || code > 0xDFFF);

// The characters that do not end a word between two letters.
async function within(step) {
  const found = await spans(codes.map((code) => `a${String.fromCodePoint(code)}a `).join(''), step);
  return new Set(found.filter(([start, end]) => end - start === 3).map(([start]) => codes[start / 4]));
}

let changed = 0;
function row(what, found, expected) {
  console.log(what.padEnd(38) + found);
  if (String(found) === String(expected)) return;
  console.log(`CHANGED: it was ${expected}`);
  changed++;
}

async function main() {
  const [ours, theirs] = [await within(steps.Whitespace), await within(steps.pattern)];
  const only = (a, b) => {
    const list = [...a].filter((code) => !b.has(code)).map((code) => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`);
    return list.length > 9 ? `${list.length} characters` : list.join(' ');
  };
  row('within words by Whitespace', ours.size, 144667);
  row('within words by the pattern', theirs.size, 144671);
  row('by Whitespace alone', only(ours, theirs), 'U+200C U+200D');
  row('by the pattern alone', only(theirs, ours), 'U+00B2 U+00B3 U+00B9 U+00BC U+00BD U+00BE');
  for (const [language, text, ...expected] of [['Persian', 'می\u200Cخواهم کتاب\u200Cهای خوب بخوانم', 4, 8], ['Sinhala', 'ශ්\u200Dරී ලංකාව', 2, 4],
    ['English', 'I don\'t want "good" books, but (very) bad ones.', 17, 17], ['area', '20 m² or 30 m³', 7, 5]])
    for (const [i, name] of ['Whitespace', 'pattern'].entries()) row(`pre-tokens of ${language} by ${name}`, (await spans(text, steps[name])).length, expected[i]);
  console.log(changed === 0 ? 'as it was seen' : `CHANGED: ${changed} rows`);
}
main().then(() => process.exit(changed === 0 ? 0 : 1));
END
cd "$tmp"
node measure.js
