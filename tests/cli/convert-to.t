# bipe-convert --to: Hugging Face folders and files of llama.cpp, read back, and what goes wrong.
$ head -c 1200 "$BIPE_SRCDIR/corpora/river.txt" >river.txt
$ bipe-score -q -L 128,256 --tokens before.tsv prose-rope river.txt >before.txt
$ bipe-convert prose-rope --to hf -o folder
$ ls -A folder
config.json
model.safetensors
tokenizer.model
tokenizer_config.json
$ cat folder/config.json folder/tokenizer_config.json
{
  "architectures": ["LlamaForCausalLM"],
  "model_type": "llama",
  "hidden_act": "silu",
  "vocab_size": 4096,
  "hidden_size": 224,
  "intermediate_size": 768,
  "num_hidden_layers": 4,
  "num_attention_heads": 4,
  "num_key_value_heads": 4,
  "head_dim": 56,
  "max_position_embeddings": 512,
  "rms_norm_eps": 1e-05,
  "rope_theta": 10000,
  "rope_scaling": null,
  "tie_word_embeddings": true,
  "bos_token_id": 1,
  "eos_token_id": 2,
  "torch_dtype": "bfloat16",
  "segmenter": "stop"
}
{
  "tokenizer_class": "LlamaTokenizer",
  "add_bos_token": true,
  "add_eos_token": false,
  "bos_token": "<s>",
  "eos_token": "</s>",
  "unk_token": "<unk>",
  "clean_up_tokenization_spaces": false,
  "legacy": false
}
$ bipe-score -q -L 128,256 --tokens after.tsv folder river.txt >after.txt
$ cmp before.tsv after.tsv
$ bipe-convert folder | head -n 4
name          folder
file          folder
format        safetensors
weights       BF16, 38 tensors, 7.2 MiB
$ bipe-convert prose-rope --to llama -o river.gguf
$ bipe-convert river.gguf | sed '/^memory/d'
name          prose-rope
file          river.gguf
format        gguf-llama
weights       BF16, 38 tensors, 7.2 MiB
parameters    3786720 (3.79 M)
layers        4
hidden        224, feed-forward 768
heads         4 of 56
vocabulary    4096, output projection shared with the embedding
scheme        rope
rope          base 10000, scaling none
segmenter     stop
trained on    512 tokens a window
tokenizer     llama, 4096 tokens, BOS 1, EOS 2
$ bipe-score -q -L 128,256 --tokens after.tsv river.gguf river.txt >after.txt
$ cmp before.tsv after.tsv
$ bipe-convert river.gguf -o again.bin
$ bipe-convert prose-rope -o first.bin
$ bipe-convert --tensors again.bin >again.txt; bipe-convert --tensors first.bin | diff - again.txt
2c2
< file          first.bin
---
\> file          again.bin
? 1

# A scheme that other programs do not have.
$ bipe-convert prose-bipe-alibi --to hf -o other
! bipe-convert: other: the position scheme is bipe's own: transformers would compute a different model with this folder
$ sed -n '/position_scheme/,$p' other/config.json
  "position_scheme": "bipe-alibi",
  "rpe_type": "bipe_alibi",
  "train_scale": 512,
  "log_scale": false,
  "segmenter": "stop"
}
$ bipe-score -q -L 128,256 --tokens before.tsv prose-bipe-alibi river.txt >before.txt
$ bipe-score -q -L 128,256 --tokens after.tsv other river.txt >after.txt
$ cmp before.tsv after.tsv
$ bipe-convert -q prose-bipe-alibi --to llama -o x.gguf 2>&1 | sed 's/: .*: cannot/: cannot/'
bipe-convert: cannot be written for llama.cpp: position scheme 'bipe-alibi', which llama.cpp does not have, expected rope

# Types, segmenters, tokenizers.
$ bipe-convert prose-rope --to hf --type f16 -s line -o half
$ grep -e torch_dtype -e segmenter half/config.json
  "torch_dtype": "float16",
  "segmenter": "line"
$ bipe-convert --tensors half | sed -n '/^model.norm/p;/embed_tokens/p'
model.embed_tokens.weight                       F16   4096 x 224  1835008
model.norm.weight                               F32   224             896
$ bipe-convert prose-rope --type q8_0 -o q8.bin
$ bipe-convert q8.bin --to hf -o wide
$ bipe-score -q -L 128 --tokens before.tsv q8.bin river.txt >before.txt
$ bipe-score -q -L 128 --tokens after.tsv wide river.txt >after.txt
$ cmp before.tsv after.tsv
$ bipe-convert -q prose-rope --to hf -t byte -o bytes
$ bipe-segment -q -t byte --format tokens river.txt | cut -f 1-6 >before.tsv; bipe-segment -q -t bytes --format tokens river.txt | cut -f 1-6 | cmp - before.tsv
$ bipe-convert bytes --to hf -o bytes-again
$ cmp bytes/tokenizer.json bytes-again/tokenizer.json

# Without --type matrices keep their types, in either form.
$ bipe-convert prose-rope --type q4_k_m -o k1.bin; bipe-convert k1.bin -o k2.bin; cmp k1.bin k2.bin
$ bipe-convert k1.bin --to llama -o k1.gguf; bipe-convert prose-rope --to llama --type q4_k_m -o k2.gguf; cmp k1.gguf k2.gguf
$ bipe-convert k1.gguf -o k2.bin; bipe-convert k2.bin --to llama -o k3.gguf; cmp k1.gguf k3.gguf
$ bipe-convert k1.gguf | grep '^types'; rm k?.bin k?.gguf
types         F32 0.1 %, Q8_0 26.9 %, Q5_0 54.9 %, Q4_K 9.1 %, Q6_K 9.1 %

# What goes wrong.
$ bipe-convert prose-rope --to hf
! bipe-convert: option '--to hf' needs '--output': it is about a file that is written
? 2
$ bipe-convert prose-rope --to pytorch -o x
! bipe-convert: option '--to': found 'pytorch', expected one of native, hf, llama
! Try 'bipe-convert --help' for more information.
? 2
$ bipe-convert prose-rope --to hf -o -
! bipe-convert: options '--to hf' and '--output -' cannot be combined: a folder is written
? 2
$ bipe-convert prose-rope --to hf --type q8_0 -o x
! bipe-convert: options '--type q8_0' and '--to hf' cannot be combined: a Hugging Face folder holds f32, f16 or bf16
? 2
$ bipe-convert prose-rope --to llama -s line -o x
! bipe-convert: options '--segmenter' and '--to llama' cannot be combined: a file of llama.cpp has no segmenter
? 2
$ bipe-convert prose-rope --to hf -o folder
! bipe-convert: folder: holds files already ('config.json'), expected a new or an empty folder
? 1
$ bipe-convert folder --to hf -o folder
! bipe-convert: folder: holds files already ('config.json'), expected a new or an empty folder
? 1
$ bipe-convert prose-rope --to hf -o first.bin
! bipe-convert: first.bin: is a file, expected a new or an empty folder
? 1
$ bipe-convert prose-rope --to hf -o nowhere/x
! bipe-convert: nowhere/x: could not be created: No such file or directory
? 1
$ bipe-convert prose-rope --to llama -o folder
! bipe-convert: folder: is a directory, expected a file
? 1
$ bipe-convert prose-rope --to llama -o nowhere/x
! bipe-convert: nowhere/x: could not be created: No such file or directory
? 1
$ mkdir locked empty unfinished; chmod a-w locked
%when test ! -w locked
$ bipe-convert prose-rope --to hf -o locked
! bipe-convert: locked/tokenizer.model: could not be created: Permission denied
? 1
$ bipe-convert prose-rope --to hf -o empty
$ touch unfinished/tokenizer.json unfinished/.model.safetensors.bipe-0123456789ab
$ bipe-convert prose-rope --to hf -o unfinished
$ ls -A unfinished; cmp unfinished/model.safetensors folder/model.safetensors
config.json
model.safetensors
tokenizer.model
tokenizer_config.json
$ bipe-convert prose-rope --to llama -t word -o x.gguf
! bipe-convert: word: a tokenizer without a vocabulary, expected one whose ids the model knows
? 2
$ bipe-convert first.bin --to hf -t words -o x
! bipe-convert: words: a tokenizer without a vocabulary, expected one whose ids the model knows
? 2
$ printf '{"pre_tokenizer":{"type":"Whitespace"},"model":{"type":"WordLevel","vocab":{"a":0,"<unk>":1},"unk_token":"<unk>"}}' >words.json
$ bipe-convert -q prose-rope --to llama -t words.json -o x.gguf 2>&1 | sed 's/: .*: cannot/: cannot/'
bipe-convert: cannot be written for llama.cpp: words.json: a model other than byte-level BPE, which llama.cpp would not run as it is
$ printf '{"model":{"type":"BPE","byte_fallback":false,"unk_token":"<unk>","vocab":{"<unk>":0,"a":1,"b":2,"ab":3},"merges":["a b"]}}' >letters.json
$ bipe-convert -q prose-rope --to llama -t letters.json -o x.gguf 2>&1 | sed 's/: .*: cannot/: cannot/'
bipe-convert: cannot be written for llama.cpp: letters.json: a normalizer or unknown tokens other than those of Llama's tokenizer.json, which llama.cpp does not have
$ bipe-convert -q prose-rope --to hf -t words.json -o words; cmp words.json words/tokenizer.json
$ rm folder/tokenizer*; bipe-convert folder --to llama -o x.gguf
! bipe-convert: folder: has no tokenizer, which llama.cpp needs (-t gives one)
? 2
$ bipe-convert folder --to hf -o bare
! bipe-convert: folder: has no tokenizer, so that 'bare' will have none (-t gives one)
$ ls -A bare
config.json
model.safetensors
$ ls | grep -v -e '[.]tsv' -e '[.]txt'
again.bin
bare
bytes
bytes-again
empty
first.bin
folder
half
letters.json
locked
other
q8.bin
river.gguf
unfinished
wide
words
words.json
$ chmod a+w locked

# Keys of a configuration are known, or refused by name.
$ sed 's/"segmenter"/"rope_scaling": {"type": "yarn", "factor": 4, "truncate": false, "attention_factor": 1.2}, "use_cache": true, &/; /"rope_scaling": null/d' half/config.json >c; mv c half/config.json
$ bipe-convert half -o yarn.bin; bipe-convert yarn.bin | grep ^rope
rope          base 10000, scaling yarn:4:attention_factor=1.2000000476837158:truncate=false
$ bipe-convert yarn.bin --to hf -o yarn; sed -n '/rope_scaling/,/}/p' yarn/config.json
  "rope_scaling": {
    "rope_type": "yarn",
    "factor": 4,
    "attention_factor": 1.2,
    "truncate": false
  },
$ bipe-convert yarn.bin --to llama -o yarn.gguf; bipe-convert yarn.gguf | grep ^rope
rope          base 10000, scaling factors:attention_factor=1.2000000476837158
$ for i in 0 1; do bipe-score -q -L 128 --shard $i/2 --json yarn.gguf river.txt >s$i.json; done
$ bipe-score -q -L 128 yarn.gguf river.txt >whole.txt; bipe-score -q --merge s0.json s1.json | diff - whole.txt
$ sed 's/"use_cache"/"my_note": "hello", &/' half/config.json >c; mv c half/config.json
$ bipe-convert half
! bipe-convert: half/config.json: key "my_note" is "hello", which is not known and may change what the model computes; if it does not, delete the key
? 1

# Decoders that are neither Llama's nor Qwen's are refused before anything is written, and the error says what they have.
$ for family in gpt2 smollm3; do "$PERL" "$BIPE_SRCDIR/tests/random-folder" $family $family; done && sed 's/"smollm3"/"granite","attention_multiplier":0.3/' smollm3/config.json > granite.json && mv granite.json smollm3/config.json
$ for model in gpt2 smollm3; do for form in hf llama; do bipe-convert $model -t byte --to $form -o refused; done; done; test -e refused || echo none
none
! bipe-convert: gpt2: cannot be written for transformers: a decoder with LayerNorm; gelu_tanh without a gate
! bipe-convert: gpt2: cannot be written for llama.cpp: a decoder with LayerNorm; gelu_tanh without a gate
! bipe-convert: smollm3: cannot be written for transformers: a decoder with scores times 0.3
! bipe-convert: smollm3: cannot be written for llama.cpp: a decoder with scores times 0.3
