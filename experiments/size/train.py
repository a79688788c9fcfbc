#!/usr/bin/env python3
"""The training of bipe-train by PyTorch, for a GPU; writes a folder in the published layout, and in it the log and the losses
of the tests. Segments are those of `stop`. Needs torch 2.6 or later, numpy and sentencepiece; with --cpu any torch will do."""
import argparse
import json
import math
import multiprocessing
import os
import shutil
import time

import numpy
import sentencepiece
import torch
import torch.nn.functional as F
from torch import nn

GPU = torch.cuda.is_available()
DEVICE = "cuda" if GPU else "cpu"
if GPU:
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
BOS = 1
# scheme: the index of a table added to the input, of rope, of alibi, and what multiplies its slopes
SCHEMES = {
    "rope": (None, "token", None, 0), "bipe-rope": ("intra", "segment", None, 0),
    "alibi": (None, None, "token", 1), "bipe-alibi": ("intra", None, "segment", 96),
    "rope@token+alibi@token": (None, "token", "token", 1), "rope@intra+alibi@segment*96": (None, "intra", "segment", 96),
}
parser = argparse.ArgumentParser(description=__doc__)
for name, kind in ("out", str), ("tokenizer", str), ("steps", int), ("seed", int):
    parser.add_argument(name, type=kind)
parser.add_argument("scheme", choices=SCHEMES)
parser.add_argument("text", nargs="+")
parser.add_argument("--validate", required=True, metavar="TEXT")
parser.add_argument("--test", action="append", default=[], metavar="TEXT")
for name, number in ("layers", 12), ("hidden", 768), ("heads", 12), ("feed-forward", 3072), ("length", 1024), ("rows", 32):
    parser.add_argument("--" + name, type=int, default=number)
parser.add_argument("--lr", type=float, default=6e-4)
parser.add_argument("--cpu", action="store_true", help="train without a GPU, slowly")


def pieces():
    return sentencepiece.SentencePieceProcessor(model_file=args.tokenizer)


def encode(file):
    with open(file, encoding="utf-8", newline="") as text:
        return numpy.array([BOS] + pieces().encode(text.read()))


def stream(files):
    with multiprocessing.Pool(min(12, len(files))) as pool:
        return torch.tensor(numpy.concatenate(pool.map(encode, files, chunksize=1)), device=DEVICE)


def closing():
    """Of each piece, whether it ends a segment: whether it holds a full stop or a newline."""
    tokenizer = pieces()
    names = [tokenizer.id_to_piece(i) for i in range(len(tokenizer))]
    return torch.tensor(["." in n or "\n" in n or n in ("<0x0A>", "<0x2E>") for n in names], device=DEVICE)


def indices(ids, closes):
    """Of rows of ids [rows, tokens]: the index of the token, of the segment, and within the segment."""
    token = torch.arange(ids.shape[1], device=DEVICE).expand_as(ids)
    ended = closes[ids].int()
    starts = torch.cat([torch.ones_like(ended[:, :1]), ended[:, :-1]], 1).bool()
    start = torch.where(starts, token, torch.zeros_like(token)).cummax(1).values
    return {"token": token, "segment": ended.cumsum(1) - ended, "intra": token - start}


def slopes(heads):
    def of_power(n):
        return [2 ** (-8 * (i + 1) / n) for i in range(n)]
    power = 2 ** int(math.log2(heads))
    return torch.tensor(of_power(power) + of_power(2 * power)[0::2][:heads - power])


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1).to(x.dtype)


def norm(x, weight):
    wide = x.float()
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5) * weight).to(x.dtype)


def attention(q, k, v, bias):
    scores = (q @ k.transpose(-1, -2)).float() / math.sqrt(q.shape[-1]) - bias
    later = torch.ones(scores.shape[-2:], device=DEVICE).triu(1).bool()
    return scores.masked_fill(later, -math.inf).softmax(-1).to(v.dtype) @ v


class Block(nn.Module):
    def __init__(self, hidden, feed_forward, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.Parameter(torch.ones(2, hidden))
        self.qkv, self.o = nn.Linear(hidden, 3 * hidden, bias=False), nn.Linear(hidden, hidden, bias=False)
        self.gate_up, self.down = nn.Linear(hidden, 2 * feed_forward, bias=False), nn.Linear(feed_forward, hidden, bias=False)

    def forward(self, x, rope, index, slope, causal):
        rows, tokens, hidden = x.shape
        q, k, v = self.qkv(norm(x, self.norms[0])).view(rows, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        if rope is not None:
            q, k = rotate(q, *rope), rotate(k, *rope)
        if index is None and GPU:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        elif causal is not None:
            y = flex_attention(q, k, v, block_mask=causal, score_mod=lambda s, b, h, i, j: s - slope[h] * (index[b, i] - index[b, j]))
        else:  # head by head, for the memory of long windows
            distance = 0 if index is None else index[:, None, :, None] - index[:, None, None, :]
            one = [slice(h, h + 1) for h in range(self.heads)]
            y = torch.cat([attention(q[:, h], k[:, h], v[:, h], slope[h.start] * distance) for h in one], 1)
        x = x + self.o(y.transpose(1, 2).reshape(rows, tokens, hidden))
        gate, up = self.gate_up(norm(x, self.norms[1])).chunk(2, -1)
        return x + self.down(F.silu(gate) * up)


class Model(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.table, self.rope, self.alibi, factor = SCHEMES[args.scheme]
        self.embed = nn.Embedding(words, args.hidden)
        self.places = nn.Embedding(args.length, args.hidden) if self.table else None
        self.blocks = nn.ModuleList(Block(args.hidden, args.feed_forward, args.heads) for _ in range(args.layers))
        self.norm = nn.Parameter(torch.ones(args.hidden))
        head = args.hidden // args.heads
        self.register_buffer("slope", slopes(args.heads) * factor, persistent=False)
        self.register_buffer("frequency", 10000.0 ** (-torch.arange(0, head, 2) / head), persistent=False)
        for name, p in self.named_parameters():
            if "norm" not in name:
                nn.init.normal_(p, std=0.02 / math.sqrt(2 * args.layers) if ".o." in name or ".down." in name else 0.02)

    @staticmethod
    def is_matrix(name):
        return "norm" not in name and "places" not in name

    def losses(self, ids, closes, causal):
        """Of the targets in rows of ids, BOS left out: the losses, 0 where there is none, and how many there are."""
        with torch.autocast(DEVICE, torch.bfloat16, enabled=GPU):
            index, rope = indices(ids, closes), None
            x = self.embed(ids)
            if self.table:
                x = x + self.places(index[self.table].clamp(max=args.length - 1))
            if self.rope:
                angle = index[self.rope][:, None, :, None].float() * self.frequency
                rope = angle.cos(), angle.sin()
            for block in self.blocks:
                x = block(x.bfloat16() if GPU else x, rope, index[self.alibi].float() if self.alibi else None, self.slope, causal)
            logits = F.linear(norm(x, self.norm)[:, :-1], self.embed.weight).float()
        targets = ids[:, 1:].masked_fill(ids[:, 1:] == BOS, -100)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-100, reduction="none"), (targets != -100).sum()


# Windows of other lengths would be compiled again and again.
@torch.no_grad()
@(torch.compiler.set_stance("force_eager") if GPU else lambda f: f)
def score(model, ids, closes, length):
    """The mean loss over windows of this length, the last tokens left out."""
    total = count = 0
    for rows in ids[:len(ids) // length * length].view(-1, length).split(max(1, 16384 // length)):
        loss, n = model.losses(rows, closes, None)
        total, count = total + loss.double().sum().item(), count + n.item()
    return total / count


def export(model):
    w = {name: p.detach() for name, p in model.named_parameters()}
    out = {"model.embed_tokens.weight": w["embed.weight"], "model.norm.weight": w["norm"]}
    if model.places:
        out["model.embeds.0.weight"] = w["places.weight"]
    for i in range(args.layers):
        to, of = f"model.layers.{i}.", f"blocks.{i}."
        for part, values in zip("qkv", w[of + "qkv.weight"].chunk(3)):
            out[f"{to}self_attn.{part}_proj.weight"] = values
        out[to + "self_attn.o_proj.weight"], out[to + "mlp.down_proj.weight"] = w[of + "o.weight"], w[of + "down.weight"]
        out[to + "mlp.gate_proj.weight"], out[to + "mlp.up_proj.weight"] = w[of + "gate_up.weight"].chunk(2)
        out[to + "input_layernorm.weight"], out[to + "post_attention_layernorm.weight"] = w[of + "norms"]
    header, parts, size = {}, [], 0
    for name, values in out.items():
        part = values.to(torch.bfloat16).contiguous().view(torch.int16).cpu().numpy().tobytes()
        header[name] = {"dtype": "BF16", "shape": list(values.shape), "data_offsets": [size, size + len(part)]}
        parts.append(part)
        size += len(part)
    header = json.dumps(header).encode()
    config = {"model_type": "llama", "position_scheme": args.scheme, "segmenter": "stop", "hidden_act": "silu", "hidden_size": args.hidden,
              "intermediate_size": args.feed_forward, "num_hidden_layers": args.layers, "num_attention_heads": args.heads,
              "num_key_value_heads": args.heads, "vocab_size": model.embed.num_embeddings, "rms_norm_eps": 1e-5, "train_scale": args.length,
              "max_position_embeddings": args.length, "bos_token_id": BOS, "eos_token_id": 2, "tie_word_embeddings": True}
    for name, content in ("model.safetensors", len(header).to_bytes(8, "little") + header + b"".join(parts)), ("config.json", json.dumps(config).encode()):
        with open(f"{args.out}/{name}", "wb") as file:
            file.write(content)
    shutil.copy(args.tokenizer, args.out + "/tokenizer.model")


def main():
    torch.manual_seed(args.seed)
    closes = closing()
    ids = stream(args.text)
    rows = ids[:len(ids) // args.length * args.length].view(-1, args.length)
    model = Model(len(closes)).to(DEVICE)
    decayed = [p for name, p in model.named_parameters() if model.is_matrix(name)]
    others = [p for name, p in model.named_parameters() if not model.is_matrix(name)]
    adam = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}], betas=(0.9, 0.95))
    causal = None
    if GPU:
        for block in model.blocks:
            block.compile()
        if model.alibi:
            causal = create_block_mask(lambda b, h, i, j: i >= j, None, None, args.length, args.length, device=DEVICE)
    os.makedirs(args.out, exist_ok=True)
    log = open(args.out + "/log", "w", buffering=1)

    def validate(to, file, text, length):
        nll = score(model, text, closes, length)
        to.write(json.dumps({"step": step, "validation": {"file": file, "length": length, "nll": nll, "ppl": math.exp(nll)}}) + "\n")

    validation, began = stream([args.validate]), time.time()
    warm, order, generator = max(1, args.steps // 20), [], torch.Generator().manual_seed(args.seed)
    for step in range(1, args.steps + 1):
        if len(order) < args.rows:
            order += torch.randperm(len(rows), generator=generator).tolist()
        batch, order = rows[torch.tensor(order[:args.rows], device=DEVICE)], order[args.rows:]
        cosine = (1 + math.cos(math.pi * (step - warm) / max(1, args.steps - warm))) / 2
        rate = args.lr * (step / warm if step <= warm else 0.1 + 0.9 * cosine)
        for group in adam.param_groups:
            group["lr"] = rate
        loss, n = model.losses(batch, closes, causal)
        loss = loss.sum() / n
        loss.backward()
        gradient_norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
        adam.zero_grad(set_to_none=True)
        if step % 50 == 0 or step == args.steps:
            log.write(json.dumps({"step": step, "loss": loss.item(), "lr": rate, "grad_norm": gradient_norm.item(),
                                  "tokens": n.item(), "seconds": round((time.time() - began) / step, 3)}) + "\n")
        if step % max(1, args.steps // 8) == 0 or step == args.steps:
            validate(log, args.validate, validation, args.length)
    export(model)
    with open(args.out + "/tests", "w") as tests:
        for file in args.test:
            text = stream([file])
            for times in (1, 2, 4, 8, 16):
                if len(text) >= times * args.length:
                    validate(tests, file, text, times * args.length)


args = parser.parse_args()
if not GPU and not args.cpu:
    parser.error("no GPU is here; --cpu does without")
if __name__ == "__main__":
    main()
