#!/usr/bin/env python3
"""Compute the golden vectors of all-MiniLM-L6-v2 with numpy alone, in float64.

This reference uses neither candle nor the half-precision weights. MODEL_DIR must contain the ORIGINAL float32 model.

needs: pip install numpy safetensors tokenizers
usage: make_golden.py MODEL_DIR > all-MiniLM-L6-v2.json
"""
import json
import math
import os
import sys

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

LAYERS, HEADS, MAX_TOKENS, EPSILON = 6, 12, 256, 1e-12

TEXTS = [
    "Grimjaw Ironhand keeps the forge by the east gate.",
    "Who sold the smuggler's map to the harbour master?",
    "The old lighthouse has been dark since the night of the storm.",
    "rats",
    "Mira swore, under oath, that she never set foot in the crypt; two witnesses say otherwise.",
    "On the 14th of Highsun, 1,250 crowns left the vault of House Varro.",
    "La reine a quitté le château à l’aube, sans escorte.",
    "Кто украл корону короля?",
    "龍は山の下で眠っている。",
    "🐉🔥 beware!! 🏰",
    "“Don’t trust the ferryman,” she whispered — naïve façade, ½ truth.",
    "The caravan came from the south with salt, silk and a rumour about the queen. " * 24,
]

erf = np.vectorize(math.erf)


def encode(weights, ids):
    def linear(x, name):
        return x @ weights[name + ".weight"].T + weights[name + ".bias"]

    def norm(x, name):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON)
        return x * weights[name + ".weight"] + weights[name + ".bias"]

    def heads(x):
        return x.reshape(len(ids), HEADS, -1).transpose(1, 0, 2)

    x = weights["embeddings.word_embeddings.weight"][ids]
    x = x + weights["embeddings.position_embeddings.weight"][: len(ids)]
    x = x + weights["embeddings.token_type_embeddings.weight"][0]
    x = norm(x, "embeddings.LayerNorm")
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}."
        q, k, v = (heads(linear(x, f"{at}attention.self.{n}")) for n in ("query", "key", "value"))
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores = scores / scores.sum(-1, keepdims=True)
        context = (scores @ v).transpose(1, 0, 2).reshape(len(ids), -1)
        x = norm(x + linear(context, at + "attention.output.dense"), at + "attention.output.LayerNorm")
        y = linear(x, at + "intermediate.dense")
        y = 0.5 * y * (1.0 + erf(y / math.sqrt(2.0)))
        x = norm(x + linear(y, at + "output.dense"), at + "output.LayerNorm")
    pooled = x.mean(0)
    return pooled / np.linalg.norm(pooled)


def main():
    directory = sys.argv[1]
    loaded = load_file(os.path.join(directory, "model.safetensors"))
    weights = {n: t.astype(np.float64) for n, t in loaded.items() if t.dtype == np.float32}
    tokenizer = Tokenizer.from_file(os.path.join(directory, "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    rows = []
    for text in TEXTS:
        ids = tokenizer.encode(text).ids
        vector = [round(float(v), 6) + 0.0 for v in encode(weights, ids)]
        rows.append({"text": text, "tokens": len(ids), "embedding": vector})
    print("[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]")


if __name__ == "__main__":
    main()
