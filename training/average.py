"""Averages the weights of several trained models and measures the result: see README.md."""

import argparse
import json
import os

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from data import DEVELOPMENT, Corpus, Pieces, chunks, windows
from model import Model
from train import evaluate, save

parser = argparse.ArgumentParser()
parser.add_argument("--text", required=True)
parser.add_argument("--encoder", required=True)
parser.add_argument("--out", required=True)
parser.add_argument("models", nargs="+")
args = parser.parse_args()
labels = os.path.join(os.path.dirname(os.path.abspath(__file__)), "labels")
pieces = Pieces(Tokenizer.from_file(os.path.join(args.encoder, "tokenizer.json")))
read = [load_file(os.path.join(model, "model.safetensors")) for model in args.models]
tensors = {name: sum(one[name].float() for one in read) / len(read) for name in read[0]}
model = Model()
model.load_encoder(tensors)
model.load_heads(tensors)
model = model.to("cuda" if torch.cuda.is_available() else "cpu")
asked = [w for chunk in chunks(Corpus(args.text), labels, set(DEVELOPMENT)) for w in windows(chunk, pieces)]
print(json.dumps({"average": evaluate(model, asked)}))
save(model, args.out)
