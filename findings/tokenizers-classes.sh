#!/bin/sh
# tokenizers-classes.sh - in a pattern of a tokenizer.json, \w and [\w] are two different classes, and so are \p{Punct} and [[:punct:]].
#
# Software:  npm package @anush008/tokenizers 0.6.0 (a binding of Hugging Face's library tokenizers 0.22.2), on Linux on x86-64.
# Behaviour: \w and \p{Word} hold the six characters ² ³ ¹ ¼ ½ ¾. In brackets, [\w], [\p{Word}] and [[:word:]] do not, so that these six match
#            both \w and [^\w]. Similar characters, such as ⁴ and ⅓, are in neither class. \p{Punct} is the 855 characters of the category P, in
#            brackets too; [[:punct:]] and \p{PosixPunct} have all 8514 symbols as well, such as $+<=>^`|~ and emoji.
# Surprise:  Brackets around one class are taken for mere grouping, and [^\w] for the same as \W. In other engines [[:punct:]] is ASCII alone,
#            or \p{Punct} with the symbols of ASCII.
# Hits:      whoever edits a pattern (\w to [\w'], to keep apostrophes), or writes a second implementation of it: pre-tokens differ, with no error.
#            "m²" is one pre-token of \w+|[^\w\s]+ and "m⁴" two.
# Test:      Counts the characters of Unicode that a pattern of one character matches, and the pre-tokens of texts.
# Seen:
#   characters in \w                                  144671
#   characters in \p{Word}                            144671
#   characters in [\w]                                144665
#   characters in [\p{Word}]                          144665
#   characters in [[:word:]]                          144665
#   characters in \W                                  967393
#   characters in [^\w]                               967399
#   characters in \p{Punct}                           855
#   characters in [\p{Punct}]                         855
#   characters in \p{PosixPunct}                      9369
#   characters in [[:punct:]]                         9369
#   characters in [\p{P}\p{S}]                        9369
#   in \w and in [^\w]                                ²³¹¼½¾
#   in [[:punct:]] and not in [\p{P}\p{S}]            0
#   "10 m² of 10 m⁴, ½ cup² (²)" by \w+|[^\w\s]+      10|m²|of|10|m|⁴,|½|cup²|(²)
#   "10 m² of 10 m⁴, ½ cup² (²)" by [\w]+|[^\w\s]+    10|m|²|of|10|m|⁴,|½|cup|²|(²)
#   "10 m² of 10 m⁴, ½ cup² (²)" by \W                10|m²|of|10|m|½|cup²|²
#   "10 m² of 10 m⁴, ½ cup² (²)" by [^\w]             10|m|of|10|m|cup
#   pre-tokens of README.md by \p{Punct}              402
#   pre-tokens of README.md by [[:punct:]]            412
#   pre-tokens of index.d.ts by \p{Punct}             1859
#   pre-tokens of index.d.ts by [[:punct:]]           1960
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
npm install --silent --no-save --prefix "$tmp" @anush008/tokenizers@0.6.0
cat >"$tmp/measure.js" <<'END'
const fs = require('fs');
const { Tokenizer } = require('@anush008/tokenizers');

const codes = Array.from({ length: 0x110000 }, (_, code) => code).filter((code) => code < 0xD800 || code > 0xDFFF);
const unicode = codes.map((code) => String.fromCodePoint(code)).join('');

// The spans of characters that a pre-tokenizer makes.
async function spans(text, step) {
  const tokenizer = Tokenizer.fromString(JSON.stringify({
    version: '1.0', truncation: null, padding: null, added_tokens: [], normalizer: null, post_processor: null, decoder: null,
    pre_tokenizer: step, model: { type: 'WordLevel', vocab: { u: 0 }, unk_token: 'u' },
  }));
  return (await tokenizer.encode(text, null, { addSpecialTokens: false })).getOffsets();
}
const split = (pattern, behavior) => ({ type: 'Split', pattern: { Regex: pattern }, behavior, invert: false });
const words = (step) => ({ type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, step] });

// What a pattern of one character matches: what is left when the matches are taken out, turned round.
async function matches(pattern) {
  const found = new Set(codes);
  for (const [start, end] of await spans(unicode, split(pattern, 'Removed'))) codes.slice(start, end).forEach((code) => found.delete(code));
  return found;
}

let changed = 0;
function row(what, found, expected) {
  console.log(what.padEnd(50) + found);
  if (String(found) === String(expected)) return;
  console.log(`CHANGED: it was ${expected}`);
  changed++;
}

async function main() {
  const held = {};
  for (const [pattern, expected] of [['\\w', 144671], ['\\p{Word}', 144671], ['[\\w]', 144665], ['[\\p{Word}]', 144665], ['[[:word:]]', 144665],
    ['\\W', 967393], ['[^\\w]', 967399], ['\\p{Punct}', 855], ['[\\p{Punct}]', 855], ['\\p{PosixPunct}', 9369], ['[[:punct:]]', 9369], ['[\\p{P}\\p{S}]', 9369]]) {
    held[pattern] = await matches(pattern);
    row(`characters in ${pattern}`, held[pattern].size, expected);
  }
  const both = (a, b) => String.fromCodePoint(...[...held[a]].filter((code) => held[b].has(code)));
  row('in \\w and in [^\\w]', both('\\w', '[^\\w]'), '²³¹¼½¾');
  row('in [[:punct:]] and not in [\\p{P}\\p{S}]', [...held['[[:punct:]]']].filter((code) => !held['[\\p{P}\\p{S}]'].has(code)).length, 0);
  const text = '10 m² of 10 m⁴, ½ cup² (²)';
  for (const [pattern, expected] of [['\\w+|[^\\w\\s]+', '10|m²|of|10|m|⁴,|½|cup²|(²)'], ['[\\w]+|[^\\w\\s]+', '10|m|²|of|10|m|⁴,|½|cup|²|(²)'],
    ['\\W', '10|m²|of|10|m|½|cup²|²'], ['[^\\w]', '10|m|of|10|m|cup']]) {
    const step = pattern.includes('|') ? words(split(pattern, 'Isolated')) : split(pattern, 'Removed');
    row(`"${text}" by ${pattern}`, (await spans(text, step)).map(([start, end]) => text.slice(start, end)).join('|'), expected);
  }
  for (const [file, ...expected] of [['README.md', 402, 412], ['index.d.ts', 1859, 1960]]) { // real text of this very version: the package's own
    const own = fs.readFileSync(`node_modules/@anush008/tokenizers/${file}`, 'utf8');
    for (const [i, pattern] of ['\\p{Punct}', '[[:punct:]]'].entries())
      row(`pre-tokens of ${file} by ${pattern}`, (await spans(own, words(split(pattern, 'Isolated')))).length, expected[i]);
  }
  console.log(changed === 0 ? 'as it was seen' : `CHANGED: ${changed} rows`);
}
main().then(() => process.exit(changed === 0 ? 0 : 1));
END
cd "$tmp"
node measure.js
