# bipe-convert: describing, writing, and what goes wrong.
%needs test -d "$BIPE_SHARED/models/small-rope"
$ ln -s "$BIPE_SHARED/models/small-rope" "$BIPE_SHARED/models/small-bipe-alibi-pt" "$BIPE_SHARED/tokenizers/llama2.model" .
$ bipe-convert small-rope | sed '/^memory/d'
name          small-rope
file          small-rope
format        safetensors
weights       F32, 39 tensors, 5.3 MiB
parameters    1377408 (1.38 M)
layers        4
hidden        128, feed-forward 384
heads         4 of 32
vocabulary    2048, output projection of its own
scheme        rope
rope          base 10000, scaling none
segmenter     stop
trained on    256 tokens a window
tokenizer     tokenizer.model, 2048 tokens, BOS 1, EOS 2
$ bipe-convert --tensors small-bipe-alibi-pt/ | sed -n '15,21p;$p'
tokenizer     tokenizer.model, 2048 tokens, BOS 1, EOS 2

tensor                                          type  shape              bytes
model.embed_tokens.weight                       F32   2048 x 128       1048576
lm_head.weight                                  F32   2048 x 128       1048576
model.norm.weight                               F32   128                  512
model.embeds.0.weight                           F32   256 x 128         131072
model.layers.3.self_attn.alibi                  F32   1 x 4 x 1 x 256     4096
$ bipe-convert --json small-rope | sed '/^  "memory"/,/^  }/d; /^  "run"/,/^  }/d'
{
  "tool": "bipe-convert",
  "version": "0.1.0",
  "model": {
    "path": "small-rope",
    "name": "small-rope",
    "format": "safetensors",
    "type": "F32",
    "types": {
      "F32": 1377408
    },
    "bytes": 5509632,
    "scheme": "rope",
    "parameters": 1377408,
    "active_parameters": 1377408,
    "train_length": 256,
    "vocabulary": 2048,
    "hidden": 128,
    "layers": 4,
    "heads": 4,
    "kv_heads": 4,
    "head_size": 32,
    "feed_forward": 384,
    "experts": 0,
    "experts_used": 0,
    "shared_expert": 0,
    "learned_rows": 0,
    "rms_norm_eps": 1e-05,
    "rope_base": 10000,
    "rope_scaling": "none",
    "tied": false,
    "log_scale": false,
    "segmenter": "stop"
  },
  "tokenizer": {
    "kind": "tokenizer.model",
    "size": 2048,
    "bos": 1,
    "eos": 2,
    "end_tokens": [2]
  },
  "training": null,
}
$ bipe-convert --json --tensors small-rope | sed '/^  "run"/,/^  }/d' | tail -n 8
    {
      "name": "model.layers.3.post_attention_layernorm.weight",
      "type": "F32",
      "shape": [128],
      "bytes": 512
    }
  ],
}

# Writing: the type of the source, other types, another segmenter and tokenizer.
$ bipe-convert small-rope -o a.bin
$ bipe-convert a.bin | sed '/^memory/d'
name          small-rope
file          a.bin
format        native
weights       F32, 39 tensors, 5.3 MiB
parameters    1377408 (1.38 M)
layers        4
hidden        128, feed-forward 384
heads         4 of 32
vocabulary    2048, output projection of its own
scheme        rope
rope          base 10000, scaling none
segmenter     stop
trained on    256 tokens a window
tokenizer     llama, 2048 tokens, BOS 1, EOS 2
$ bipe-convert a.bin -o b.bin
$ cmp a.bin b.bin
$ bipe-convert b.bin -o b.bin
$ cmp a.bin b.bin
$ bipe-convert small-rope --type bf16 -s 'regex:[.!?]' -o c.bin
$ bipe-convert --tensors c.bin | sed -n '3,4p;13,19p'
format        native
weights       BF16, 39 tensors, 2.6 MiB
segmenter     regex:[.!?]
trained on    256 tokens a window
tokenizer     llama, 2048 tokens, BOS 1, EOS 2

tensor                    type  shape        bytes
token_embd.weight         BF16  2048 x 128  524288
blk.0.attn_norm.weight    F32   128            512
$ bipe-convert small-rope --type q8_0 -t "$BIPE_SHARED/models/small-alibi/tokenizer.model" -o d.bin
$ bipe-convert d.bin | grep -e ^weights -e tokenizer
weights       Q8_0, 39 tensors, 1.4 MiB
tokenizer     llama, 2048 tokens, BOS 1, EOS 2
$ bipe-convert small-rope --type f16 -t byte -o d.bin
! bipe-convert: byte: has 256 tokens, the model 2048: was the model trained with another tokenizer?
$ bipe-convert d.bin | grep -e ^weights -e tokenizer
weights       F16, 39 tensors, 2.6 MiB
tokenizer     byte, 256 tokens, BOS none, EOS none
$ bipe-convert small-rope -o - | cmp - a.bin
$ ls -A
a.bin
b.bin
c.bin
d.bin
llama2.model
small-bipe-alibi-pt
small-rope

# A model without a tokenizer.
$ mkdir bare
$ cp small-rope/config.json small-rope/model.safetensors bare
$ bipe-convert bare | grep tokenizer
tokenizer     none
$ bipe-convert bare -o e.bin
! bipe-convert: bare: has no tokenizer, so that 'e.bin' will have none (-t gives one)
$ bipe-convert e.bin --json | sed '/^  "run"/,/^  }/d' | tail -n 3
  "tokenizer": null,
  "training": null,
}

# What goes wrong leaves no file behind.
$ bipe-convert
! bipe-convert: an operand is missing: MODEL is a native file, a GGUF file, a Hugging Face folder of a family that --families lists, or the name of an installed model such as default; --list names those that are installed
? 2
$ bipe-convert a b
! bipe-convert: unexpected operand 'b'
! Try 'bipe-convert --help' for more information.
? 2
$ bipe-convert nowhere
! bipe-convert: nowhere: no such file or folder, and no installed model of that name (bipe-convert --list shows those)
? 1
$ bipe-convert /dev/null
! bipe-convert: /dev/null: is not a regular file, which a model must be
? 1
$ bipe-convert .
! bipe-convert: .: not a model folder: it has no file config.json
? 1
$ mkdir -p empty/config.json; bipe-convert empty/; status=$?; rmdir -p empty/config.json; exit $status
! bipe-convert: empty/: not a model folder: it has no file config.json
? 1
$ bipe-convert small-rope --type q3_k_m -o x.bin
! bipe-convert: option '--type': found 'q3_k_m', expected one of f32, f16, bf16, q8_0, q6_k, q5_k_m, q5_k_s, q5_1, q5_0, q4_k_m, q4_k_s, q4_0, mxfp4
! Try 'bipe-convert --help' for more information.
? 2
$ bipe-convert small-rope --type f16
! bipe-convert: option '--type f16' needs '--output': it is about a file that is written
? 2
$ bipe-convert small-rope --json -o x.bin
! bipe-convert: options '--json' and '--output' cannot be combined: a model is either described or written
? 2
$ bipe-convert small-rope -s nonsense -o x.bin 2>&1 | sed 's/, expected.*//'
bipe-convert: segmenter 'nonsense': unknown
$ bipe-convert small-rope -t nonsense -o x.bin
! bipe-convert: nonsense: no such file or folder, no installed model (bipe-convert --list shows those), and not one of byte, char, word, words
? 1
$ bipe-convert small-rope -t word -o x.bin
! bipe-convert: word: a tokenizer without a vocabulary, expected one whose ids the model knows
? 2
$ bipe-convert small-rope -t llama2.model -o x.bin
! bipe-convert: llama2.model: a tokenizer of 32000 tokens, expected 1 to 2048, which the model has
? 2
$ bipe-convert small-rope -o nowhere/x.bin
! bipe-convert: nowhere/x.bin: could not be created: No such file or directory
? 1
$ bipe-convert small-rope -o bare
! bipe-convert: bare: is a directory, expected a file
? 1
%when test -w /dev/full
$ bipe-convert small-rope -o /dev/full
! bipe-convert: /dev/full: could not be written: No space left on device
? 1
%when test -w /dev/full
$ bipe-convert small-rope >/dev/full
! bipe-convert: standard output: could not be written: No space left on device
? 1
$ bipe-convert --tensors small-rope | :
$ head -c 100000 a.bin >torn.bin
$ bipe-convert torn.bin
! bipe-convert: torn.bin: tensor 'token_embd.weight': 1048576 bytes at offset 0, but only 52768 bytes of data are there
? 1
$ rm -f bare/model.safetensors; head -c 100000 small-rope/model.safetensors >bare/model.safetensors
$ bipe-convert bare
! bipe-convert: bare/model.safetensors: tensor 'model.embed_tokens.weight': bytes 0 to 1048576, but only 95552 bytes of data are there
? 1
$ bipe-convert "$BIPE_SHARED/tokenizers/ggml-vocab-bert-bge.gguf" 2>&1 | sed 's|/.*/||'
bipe-convert: ggml-vocab-bert-bge.gguf: holds a vocabulary but no weights; use it with -t
$ ls -A
a.bin
b.bin
bare
c.bin
d.bin
e.bin
llama2.model
small-bipe-alibi-pt
small-rope
torn.bin
