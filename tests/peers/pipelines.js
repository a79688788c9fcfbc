// pipelines.js - random tokenizer.json pipelines on random texts: the ids of Hugging Face's library against those of token_lines. Prints what
// differs, and how often bipe refuses what the library takes, by its reason.
// Usage: node pipelines.js TOKEN_LINES FOLDER COUNT SEED   (needs the npm package @anush008/tokenizers)
const fs = require('fs');
const { spawnSync } = require('child_process');
const { Tokenizer } = require('@anush008/tokenizers');

const [ours, folder, count, seed, child] = process.argv.slice(2);
let state = 0;
const random = (n) => { // of 0 .. n - 1
  state = (state + 0x9E3779B9) | 0;
  let x = Math.imul(state ^ (state >>> 16), 0x21F0AAAD);
  x = Math.imul(x ^ (x >>> 15), 0x735A2D97);
  return ((x ^ (x >>> 15)) >>> 0) % n;
};
const pick = (list) => list[random(list.length)];
const chance = (one) => random(one) === 0;
const some = (most, make) => Array.from({ length: random(most + 1) }, make);
const flag = () => chance(2);

const letters = ['a', 'b', 'c', 'A', 'B', '\u00e9', '\u00c9', 'e\u0301', '\u0301', '\u00df', '\u0130', '\u4e2d', '\u6587', '\u3042', '\uac00', '\u0e01', '\ufb01', '\u00bd', '1', '2',
  '\u0661', '.', ',', '!', '\'', '-', '_', '$', '<', '>', '\u2026', '\uff0c', '\u2581', '\u0120', '#', '\ud83d\ude00', '\u200d', '\u0327', '\u0345', '\u00a0', '\u200b', '\ufffd', '\x01'];
const blanks = [' ', ' ', ' ', '  ', '\n', '\n\n', '\t', '\r\n', '\u3000', '\u2028', '\u0085'];
const words = ['ab', 'abc', 'the', "a's", "'LL", '<s>', '<x>', ' ab', 'a b', 'cc', 'aaaa', '12', '...', '<0x41>', '##a', '\u2581a', '\u2581\u2581', 'bb</w>', 'A1', '\u00e9\u00e9'];
const part = () => (chance(3) ? pick(blanks) : chance(4) ? pick(words) : pick(letters.slice(0, chance(2) ? 6 : letters.length)));
const text = () => some(chance(8) ? 60 : 14, part).join('');

const patterns = ['\\s+', '\\w+', '[^\\s]+', '\\d', '\\p{L}+', 'a|ab', '\\s+(?!\\S)', ' ?\\p{L}+', '[a-c]+', '(?i:AB)', '\\p{N}{1,2}', '(?=b)', '\\b', '(?<=a)b', '.', '^', '$', 'a*', '\\n+',
  '\\p{Punct}', '[[:punct:]]+', '[[:^alpha:]]', '[^[:space:][:punct:]]+', ' ?[[:alnum:]_]+',
  "'s|'t| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"];
const strings = [' ', 'a', 'ab', '\u2581', '\n', '  ', 'aa', '.', '\u00e9', '\u0301'];
const pattern = () => (flag() ? { String: pick(strings) } : { Regex: pick(patterns) });
const behavior = () => pick(['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous']);

const normalizers = [
  () => ({ type: pick(['NFC', 'NFD', 'NFKC', 'NFKD', 'Lowercase', 'StripAccents', 'Nmt']) }),
  () => ({ type: 'Strip', strip_left: flag(), strip_right: flag() }),
  () => ({ type: 'Replace', pattern: pattern(), content: pick(['', 'a', '\u2581', ' ', 'xy', '  b']) }),
  () => ({ type: 'Prepend', prepend: pick(['\u2581', 'a', ' ', 'ab']) }),
  () => ({ type: 'BertNormalizer', clean_text: flag(), handle_chinese_chars: flag(), strip_accents: pick([true, false, null]), lowercase: flag() }),
];
const pretokenizers = [
  () => ({ type: 'Split', pattern: pattern(), behavior: behavior(), invert: chance(3) }),
  () => ({ type: 'Digits', individual_digits: flag() }),
  () => ({ type: 'Punctuation', behavior: behavior() }),
  () => ({ type: pick(['Whitespace', 'WhitespaceSplit', 'BertPreTokenizer', 'UnicodeScripts']) }),
  () => ({ type: 'Metaspace', replacement: pick(['\u2581', '_', '\u0120']), prepend_scheme: pick(['always', 'never', 'first']), split: flag() }),
  () => ({ type: 'CharDelimiterSplit', delimiter: pick(['a', ' ', '\u2581']) }),
  () => ({ type: 'FixedLength', length: pick([1, 2, 3, 7]) }),
];
const sequence = (makers, name, most) => {
  const steps = some(most, () => pick(makers)());
  return steps.length === 0 ? null : steps.length === 1 && flag() ? steps[0] : { type: 'Sequence', [name]: steps };
};

// The letters that bytes are written as.
const bytes = [];
for (let b = 0, more = 0; b < 256; b++) bytes.push(String.fromCharCode((b > 32 && b < 127) || (b > 160 && b !== 173) ? b : 256 + more++));

const add = (vocab, string) => { if (!(string in vocab)) vocab[string] = Object.keys(vocab).length; };

function bpe(level) {
  const prefix = chance(8) ? pick(['##', '@']) : null, suffix = chance(8) ? '</w>' : null;
  const vocab = {};
  const shuffled = letters.concat(' ', ' ', '\n').flatMap((s) => [...s]);
  if (flag()) add(vocab, '<unk>');
  for (const c of level ? bytes.filter(() => !chance(40) || flag()) : some(shuffled.length, () => pick(shuffled))) {
    add(vocab, c);
    if (prefix) add(vocab, prefix + c);
    if (suffix) add(vocab, c + suffix);
    if (prefix && suffix) add(vocab, prefix + c + suffix);
  }
  for (const c of ['a', 'b', 'c']) add(vocab, c);
  if (chance(3)) for (let b = 0; b < 256; b++) if (!chance(300)) add(vocab, `<0x${b.toString(16).toUpperCase().padStart(2, '0')}>`);
  const merges = [];
  const basic = level ? [...'abcAB12.', '\u0120', '\u010a', '\u00c3', '\u00a9'] : ['a', 'b', 'c', '\u2581', ' '];
  for (let i = 0, most = random(30); i < most; i++) {
    const known = Object.keys(vocab).filter((s) => s !== '<unk>' && s.length < 9);
    const small = known.filter((s) => basic.includes([...s.replace(prefix ?? '\0', '')][0]));
    const left = pick(flag() && small.length ? small : known), right = pick(flag() && small.length ? small : known);
    if ((suffix && left.endsWith(suffix)) || (prefix && !right.startsWith(prefix)) || (chance(2) && /<0x/.test(left + right))) continue;
    merges.push(flag() ? [left, right] : [left, right]);
    add(vocab, left + right.slice(prefix ? prefix.length : 0));
  }
  if (chance(10) && merges.length) merges.push(merges[0]);
  if (chance(3)) add(vocab, pick(words));
  return { type: 'BPE', dropout: null, unk_token: '<unk>' in vocab && !chance(4) ? '<unk>' : null, continuing_subword_prefix: prefix, end_of_word_suffix: suffix,
    fuse_unk: flag(), byte_fallback: chance(3), ignore_merges: chance(3), vocab, merges };
}

function unigram() {
  const vocab = [['<unk>', 0]], seen = new Set(['<unk>']);
  const put = (s) => { if (!seen.has(s) && s !== '') vocab.push([s, -random(40) / 4]); seen.add(s); };
  for (const c of ['a', 'b', 'c', '\u2581', ...some(20, () => pick(letters)), ...some(20, () => some(3, part).join('')), ...some(8, () => pick(words))]) put(c);
  if (chance(3)) for (let b = 0; b < 256; b++) put(`<0x${b.toString(16).toUpperCase().padStart(2, '0')}>`);
  return { type: 'Unigram', unk_id: chance(12) ? null : 0, byte_fallback: chance(3), vocab };
}

function wordPiece() {
  const vocab = {}, prefix = pick(['##', '##', '', '@@']);
  for (const s of ['[UNK]', 'a', 'b', 'c', `${prefix}a`, `${prefix}b`, ...some(30, () => pick(letters)), ...some(30, () => prefix + pick(letters)), ...some(10, () => pick(words))]) add(vocab, s);
  return { type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: prefix, max_input_chars_per_word: pick([1, 3, 5, 100]), vocab };
}

function wordLevel() {
  const vocab = {};
  for (const s of ['<unk>', ...some(20, () => pick(letters)), ...some(20, () => pick(words)), ...some(10, text)]) add(vocab, s);
  return { type: 'WordLevel', vocab, unk_token: chance(8) ? 'none' : '<unk>' };
}

function make() {
  const level = chance(4);
  const model = level ? bpe(true) : pick([() => bpe(false), () => bpe(false), unigram, wordPiece, wordLevel])();
  let pre = sequence(pretokenizers, 'pretokenizers', 3);
  if (level) {
    const last = { type: 'ByteLevel', add_prefix_space: flag(), trim_offsets: flag(), use_regex: flag() };
    pre = pre === null ? last : { type: 'Sequence', pretokenizers: chance(6) ? [last, pre] : [pre, last] };
  }
  const vocab = Array.isArray(model.vocab) ? Object.fromEntries(model.vocab.map(([s], i) => [s, i])) : model.vocab;
  const added = [], names = new Set();
  let next = Object.keys(vocab).length;
  for (const content of chance(2) ? some(4, () => (chance(3) ? some(3, part).join('') : pick(words))) : []) {
    if (content === '' || names.has(content)) continue;
    names.add(content);
    added.push({ id: content in vocab ? vocab[content] : next++, content, single_word: chance(4), lstrip: chance(4), rstrip: chance(4), normalized: flag(), special: flag() });
  }
  if (chance(4)) added.sort((a, b) => a.id - b.id);
  return { version: '1.0', truncation: null, padding: null, added_tokens: added, normalizer: sequence(normalizers, 'normalizers', 3), pre_tokenizer: pre,
    post_processor: null, decoder: null, model };
}

const total = { tokenizers: 0, texts: 0, differ: 0, neither: 0, refused: {} };

// One after the other; the library ends the process where it should say no, so that another has to go on.
async function compare() {
  const refused = total.refused;
  for (let i = 0; i < Number(count); i++) {
    fs.writeFileSync(`${folder}/state`, JSON.stringify({ next: i + 1, total }));
    state = (Number(seed) + i) * 7919;
    const root = make();
    const texts = Array.from({ length: 60 }, text);
    texts.push(...[' ', pick(['', '\n', '. '])].map((between) => Array.from({ length: 120 }, text).join(between))); // long ones, which are cut into units
    const path = `${folder}/random.json`, file = JSON.stringify(root);
    let tokenizer;
    try {
      tokenizer = Tokenizer.fromString(file);
    } catch (error) {
      total.neither++;
      continue;
    }
    const want = [];
    for (const t of texts) {
      try {
        want.push(Array.from((await tokenizer.encode(t, null, { addSpecialTokens: false })).getIds()).join(' '));
      } catch (error) {
        want.push('refused');
      }
    }
    fs.writeFileSync(path, file);
    const run = spawnSync(ours, ['--special', '--refuse', '--end', '30', path], { input: texts.map((t) => `${t}\x1e`).join(''), encoding: 'utf8' });
    if (run.status !== 0) {
      const why = run.status === null ? `killed by ${run.signal}` : run.stderr.replace(/^.*?random\.json: /, '').replace(/".*"/s, '"..."').trim().slice(0, 150);
      refused[why] = (refused[why] ?? 0) + 1;
      if (process.env.KEEP) fs.copyFileSync(path, `${folder}/refused-${Number(seed) + i}.json`);
      if (run.status === null) total.differ++;
      continue;
    }
    const lines = run.stdout.split('\n'), got = lines.map((line) => line.replace(/^refused:.*/, 'refused'));
    total.tokenizers++;
    total.texts += texts.length;
    // What bipe says that it does not do: patterns that match nothing.
    const wrong = texts.findIndex((t, k) => got[k] !== want[k] && !lines[k].includes('has matched nothing'));
    if (wrong < 0) continue;
    total.differ++;
    if (process.env.KEEP) fs.copyFileSync(path, `${folder}/differs-${Number(seed) + i}.json`);
    const { vocab, merges, ...settings } = root.model;
    console.log(`seed ${Number(seed) + i}: ${JSON.stringify(texts[wrong])}: got ${lines[wrong]}, want ${want[wrong]}\n  ${JSON.stringify({ ...root, model: settings }).slice(0, 900)}`);
  }
  fs.writeFileSync(`${folder}/state`, JSON.stringify({ next: Number(count), total }));
}

function main() {
  for (let next = 0; next < Number(count);) {
    const run = spawnSync(process.execPath, [__filename, ours, folder, Number(count) - next, Number(seed) + next, JSON.stringify(total)], { encoding: 'utf8' });
    const left = JSON.parse(fs.readFileSync(`${folder}/state`, 'utf8'));
    process.stdout.write(run.stdout);
    Object.assign(total, left.total);
    if (run.status !== 0) total.neither++;
    next += left.next;
  }
  for (const why of Object.keys(total.refused).sort()) console.log(`refused ${total.refused[why]}: ${why}`);
  console.log(`${total.texts} texts of ${total.tokenizers} tokenizers, ${total.differ} tokenizers differ, ${total.neither} not taken by the library`);
  process.exit(total.differ !== 0 || total.tokenizers === 0 ? 1 : 0);
}

if (child === undefined) main();
else {
  Object.assign(total, JSON.parse(child));
  compare();
}
