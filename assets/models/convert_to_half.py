#!/usr/bin/env python3
"""Convert the weights of a BERT-family sentence-transformers model from float32 to float16.

needs: pip install numpy safetensors
usage: convert_to_half.py SOURCE/model.safetensors TARGET/model.safetensors

Every float32 tensor is rounded to the nearest float16 (ties to even). Two things that no sentence
vector depends on are dropped: `embeddings.position_ids` (0, 1, 2, ... as a tensor) and the pooler
(a head for next-sentence prediction). Same input and same versions of the packages give the same
bytes. Prints the SHA-256 of both files.
"""
import hashlib
import sys

import numpy as np
from safetensors.numpy import load_file, save_file


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_unused(name):
    return name.endswith("embeddings.position_ids") or ".pooler." in f".{name}"


def to_half(name, tensor):
    if tensor.dtype != np.float32:
        sys.exit(f"{name} is {tensor.dtype}, expected float32")
    half = tensor.astype(np.float16)
    if not np.isfinite(half).all():
        sys.exit(f"{name} holds values that float16 cannot hold")
    return half


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, target = sys.argv[1:]
    kept = {name: t for name, t in load_file(source).items() if not is_unused(name)}
    half = {name: to_half(name, t) for name, t in sorted(kept.items())}
    save_file(half, target, metadata={"format": "pt"})
    error = max(float(np.abs(kept[n] - half[n].astype(np.float32)).max()) for n in kept)
    print(f"{len(kept)} tensors, largest rounding error {error:.2e}")
    print(f"source {sha256(source)}")
    print(f"target {sha256(target)}")


if __name__ == "__main__":
    main()
