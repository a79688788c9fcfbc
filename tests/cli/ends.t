# The tokens that end a text: what a model's files state, where generation stops, and what bipe-convert shows and writes.
$ bipe-convert prose-rope --to hf -o plain
$ cp -r plain folder
$ cat >go <<END
> sed "s/\"eos_token_id\": .*/\"eos_token_id\": \$1,/" plain/config.json >folder/config.json
> test -z "\$2" && rm -f folder/generation_config.json || echo "{\"eos_token_id\": \$2, \"temperature\": 0.6}" >folder/generation_config.json
> bipe-generate folder --prompt 'The river' -n 6 --format jsonl | sed 's/.*"ids"/"ids"/'
> END
$ sh go 2
"ids":[316,263,719,1474,291,263],"text":" is the most important and the","finish":"length"}

# A number, a list, and of two files the later one that states any; the tokenizer's EOS always ends a text.
$ sh go 263
"ids":[316],"text":" is","finish":"eos"}
$ sh go '[7, 263]'
"ids":[316],"text":" is","finish":"eos"}
$ sh go 263 2
"ids":[316,263,719,1474,291,263],"text":" is the most important and the","finish":"length"}
$ sh go 2 '[263]'
"ids":[316],"text":" is","finish":"eos"}
$ sh go 263 null
"ids":[316],"text":" is","finish":"eos"}
$ bipe-convert folder | tail -n 1
end tokens    263 ▁the, 2 </s>
$ sh go '[7, 263]' '[9, 8]'; bipe-convert --json folder | sed '/^  "run"/,/^  }/d' | sed -n '/"tokenizer"/,$p'
"ids":[316,263,719,1474,291,263],"text":" is the most important and the","finish":"length"}
  "tokenizer": {
    "kind": "tokenizer.model",
    "size": 4096,
    "bos": 1,
    "eos": 2,
    "end_tokens": [9, 8, 2]
  },
  "training": null,
}

# Nothing of an end token is printed, and samples end by themselves.
$ sh go '[7, 263]'; bipe-generate folder --prompt 'The river' -n 6
"ids":[316],"text":" is","finish":"eos"}
 is
$ bipe-generate folder --prompt 'The river' -n 6 --samples 2 --temperature 1 --seed 3 --format jsonl | sed 's/.*"ids"/"ids"/'
"ids":[545,290,3337,457,691,2814],"text":"arying Class Struct","finish":"length"}
"ids":[559,3655,313,4004,4007],"text":"ie davey,","finish":"eos"}
$ printf '{"q":"The river","a":"x"}\n' >records.jsonl
$ echo '{"name":"go","kind":"generate","prompt":"{{q}}","references":"{{a}}","max_tokens":6,"metrics":["em"]}' >task.json
$ sh go 13; for model in folder plain; do bipe-eval -q --task task.json --predictions $model.jsonl -o $model.txt $model records.jsonl; grep -o '"prediction":"[^"]*"' $model.jsonl; done
"ids":[316,263,719,1474,291,263],"text":" is the most important and the","finish":"length"}
"prediction":""
"prediction":"\nHistorical note"

# Written again: as a folder, as a native file, for llama.cpp.
$ bipe-convert folder --to hf -o hf; bipe-convert folder -o native.bin; bipe-convert folder --to llama -o llama.gguf
$ grep eos_token_id hf/config.json; cat hf/generation_config.json
  "eos_token_id": [13, 2],
{
  "bos_token_id": 1,
  "eos_token_id": [13, 2]
}
$ for model in hf native.bin llama.gguf; do bipe-convert $model | tail -n 1; done
end tokens    13 <0x0A>, 2 </s>
end tokens    13 <0x0A>, 2 </s>
end tokens    13 <0x0A>, 2 </s>
$ for model in native.bin llama.gguf; do bipe-convert $model --to hf -o again-$model; cmp hf/config.json again-$model/config.json; cmp hf/generation_config.json again-$model/generation_config.json; done
$ bipe-convert native.bin -o copy.bin; cmp native.bin copy.bin
$ bipe-convert native.bin --to llama -o copy.gguf; for key in eot eom; do grep -c "tokenizer.ggml.${key}_token_id" llama.gguf copy.gguf native.bin; done
llama.gguf:1
copy.gguf:1
native.bin:0
llama.gguf:0
copy.gguf:0
native.bin:0
? 1

# What goes wrong.
$ sh go 50256
"ids":[316,263,719,1474,291,263],"text":" is the most important and the","finish":"length"}
! bipe-generate: folder: eos_token_id 50256 of config.json ends no text: the vocabulary has 4096 tokens
$ sh go '[-1, 4096]'
"ids":[316,263,719,1474,291,263],"text":" is the most important and the","finish":"length"}
! bipe-generate: folder: eos_token_id 4096 of config.json ends no text: the vocabulary has 4096 tokens
$ sh go '"end"'
! bipe-generate: the model's tokenizer (-t gives another): folder/config.json: key "eos_token_id" is of another kind, expected an id, a list of ids or null
$ sh go 1.5
! bipe-generate: the model's tokenizer (-t gives another): folder/config.json: key "eos_token_id" is of another kind, expected an id, a list of ids or null
$ sh go '[[2]]'
! bipe-generate: the model's tokenizer (-t gives another): folder/config.json: key "eos_token_id" is of another kind, expected an id, a list of ids or null
$ sh go true
! bipe-generate: the model's tokenizer (-t gives another): folder/config.json: key "eos_token_id" is of another kind, expected an id, a list of ids or null
$ sh go 2 '{}'
! bipe-generate: the model's tokenizer (-t gives another): folder/generation_config.json: key "eos_token_id" is of another kind, expected an id, a list of ids or null
$ echo '{"eos_token_id": [1' >folder/generation_config.json; bipe-score -q folder records.jsonl
! bipe-score: the model's tokenizer (-t gives another): folder/generation_config.json: line 2, column 0: ']' expected near end of file
? 1
$ echo "[$(seq -s, 0 300)]" >many; sh go "$(cat many)"
! bipe-generate: the model's tokenizer (-t gives another): folder/config.json: more than 256 end tokens
$ sh go '[4, 5, 6]'; bipe-convert folder --to llama -o x.gguf
"ids":[316,263,719,1474,291,263],"text":" is the most important and the","finish":"length"}
! bipe-convert: folder: cannot be written for llama.cpp: folder: more end tokens than llama.cpp has keys for or knows by their names
? 1
$ bipe-convert folder --to llama -o x.gguf -t native.bin
