#!/usr/bin/env python3
"""The same steps as step.py in eager PyTorch; prints one JSON line. Needs torch.

usage: torch_step.py --model llama-60m|gpt2-124m [--threads N] [--steps N]
"""
import argparse
import json
import os
import statistics
import time

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--model", required=True, choices=["llama-60m", "gpt2-124m"])
parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
parser.add_argument("--steps", type=int, default=10)
arguments = parser.parse_args()
os.environ["OMP_NUM_THREADS"] = str(arguments.threads)

import torch  # noqa: E402  (after the number of threads is set)
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

BATCH, SEQUENCE = 4, 256


class GPT2Layer(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(self.norm1(x)).chunk(3, -1))
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class GPT2(nn.Module):
    def __init__(self, vocabulary=50257, width=768, layers=12):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(1024, width)
        self.layers = nn.Sequential(*(GPT2Layer(width, 12, 4 * width) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)

    def forward(self, ids):
        x = self.layers(self.tokens(ids) + self.places.weight[:ids.shape[1]])
        return F.linear(self.norm(x), self.tokens.weight)


class LlamaLayer(nn.Module):
    def __init__(self, width, heads, kv_heads, inner):
        super().__init__()
        self.head = width // heads
        self.norm1, self.norm2 = nn.RMSNorm(width, eps=1e-5), nn.RMSNorm(width, eps=1e-5)
        linear = lambda i, o: nn.Linear(i, o, bias=False)
        self.q, self.k, self.v = linear(width, width), linear(width, kv_heads * self.head), linear(width, kv_heads * self.head)
        self.out, self.gate, self.up, self.down = linear(width, width), linear(width, inner), linear(width, inner), linear(inner, width)
        angles = torch.arange(SEQUENCE)[:, None] * 10000.0 ** (-torch.arange(0, self.head, 2) / self.head)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def rotate(self, x):
        a, b = x.chunk(2, -1)
        return torch.cat((a * self.cos - b * self.sin, b * self.cos + a * self.sin), -1)

    def forward(self, x):
        h = self.norm1(x)
        q, k, v = (t.unflatten(-1, (-1, self.head)).transpose(1, 2) for t in (self.q(h), self.k(h), self.v(h)))
        attended = F.scaled_dot_product_attention(self.rotate(q), self.rotate(k), v, is_causal=True, enable_gqa=True)
        x = x + self.out(attended.transpose(1, 2).flatten(2))
        h = self.norm2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Llama(nn.Module):
    def __init__(self, vocabulary=32000, width=512, layers=8):
        super().__init__()
        self.tokens, self.head = nn.Embedding(vocabulary, width), nn.Linear(width, vocabulary, bias=False)
        self.layers = nn.Sequential(*(LlamaLayer(width, 8, 4, 1408) for _ in range(layers)))
        self.norm = nn.RMSNorm(width, eps=1e-5)

    def forward(self, ids):
        return self.head(self.norm(self.layers(self.tokens(ids))))


torch.manual_seed(1)
torch.set_num_threads(arguments.threads)
model = Llama() if arguments.model == "llama-60m" else GPT2()
for parameter in model.parameters():
    if parameter.ndim >= 2:
        nn.init.normal_(parameter, std=0.02)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
ids = torch.randint(32000, (BATCH, SEQUENCE + 1))
times = []
for _ in range(2 + arguments.steps):
    begin = time.perf_counter()
    optimizer.zero_grad(set_to_none=True)
    logits = model(ids[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    loss.backward()
    optimizer.step()
    loss.item()
    times.append(time.perf_counter() - begin)
print(json.dumps({"model": arguments.model, "threads": arguments.threads, "min_seconds": min(times[2:]), "median_seconds": statistics.median(times[2:]),
                  "version": torch.__version__}))
