"""The reading model: a MiniLM encoder with heads for the kind of talk, statements, references and their meaning."""

import math

import torch
from torch import nn

from data import BUCKETS, KINDS, SPECIAL, STATUS, TALK

HIDDEN, INNER, HEADS, LAYERS, VOCABULARY, POSITIONS = 384, 1536, 12, 6, 30522, 512
QUERY = 128


class Layer(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.query_key_value = nn.Linear(HIDDEN, 3 * HIDDEN)
        self.output = nn.Linear(HIDDEN, HIDDEN)
        self.attention_norm = nn.LayerNorm(HIDDEN, 1e-12)
        self.inner = nn.Linear(HIDDEN, INNER)
        self.outer = nn.Linear(INNER, HIDDEN)
        self.output_norm = nn.LayerNorm(HIDDEN, 1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask):
        batch, length, _ = x.shape
        parts = self.query_key_value(x).view(batch, length, 3, HEADS, HIDDEN // HEADS).permute(2, 0, 3, 1, 4)
        attended = nn.functional.scaled_dot_product_attention(parts[0], parts[1], parts[2], attn_mask=mask)
        attended = attended.transpose(1, 2).reshape(batch, length, HIDDEN)
        x = self.attention_norm(x + self.dropout(self.output(attended)))
        return self.output_norm(x + self.dropout(self.outer(nn.functional.gelu(self.inner(x)))))


class Model(nn.Module):
    def __init__(self, dropout=0.1):
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, HIDDEN)
        self.positions = nn.Embedding(POSITIONS, HIDDEN)
        self.types = nn.Embedding(2, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN, 1e-12)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(LAYERS))
        self.dropout = nn.Dropout(dropout)
        self.talk = nn.Linear(HIDDEN, len(TALK))
        self.tags = nn.Linear(HIDDEN, 3)
        self.references = nn.Linear(HIDDEN, 3)
        self.status = nn.Linear(HIDDEN, len(STATUS))
        self.queries = nn.Linear(HIDDEN, len(KINDS) * QUERY)
        self.keys = nn.Linear(HIDDEN, QUERY)
        self.special = nn.Parameter(torch.randn(len(SPECIAL), QUERY) * 0.02)
        self.near = nn.Parameter(torch.zeros(len(KINDS), BUCKETS))
        self.apart = nn.Parameter(torch.zeros(len(KINDS), len(SPECIAL)))
        self.inspect = nn.Linear(3 * HIDDEN, QUERY)
        self.right = nn.Linear(QUERY, 1)

    def load_encoder(self, tensors):
        """Takes the weights of a BERT encoder in the naming of sentence-transformers."""
        def put(parameter, *names):
            value = torch.cat([tensors[name].float() for name in names])
            assert parameter.shape == value.shape, names
            parameter.data.copy_(value)

        for module, name in ((self.words, "word"), (self.positions, "position"), (self.types, "token_type")):
            put(module.weight, f"embeddings.{name}_embeddings.weight")
        for kind in ("weight", "bias"):
            put(getattr(self.norm, kind), f"embeddings.LayerNorm.{kind}")
            for i, layer in enumerate(self.layers):
                at = f"encoder.layer.{i}."
                put(getattr(layer.query_key_value, kind), *(f"{at}attention.self.{n}.{kind}" for n in ("query", "key", "value")))
                put(getattr(layer.output, kind), f"{at}attention.output.dense.{kind}")
                put(getattr(layer.attention_norm, kind), f"{at}attention.output.LayerNorm.{kind}")
                put(getattr(layer.inner, kind), f"{at}intermediate.dense.{kind}")
                put(getattr(layer.outer, kind), f"{at}output.dense.{kind}")
                put(getattr(layer.output_norm, kind), f"{at}output.LayerNorm.{kind}")

    def encoder_tensors(self):
        """Returns the weights of the encoder in the naming of sentence-transformers."""
        found = {}
        for module, name in ((self.words, "word"), (self.positions, "position"), (self.types, "token_type")):
            found[f"embeddings.{name}_embeddings.weight"] = module.weight.data
        for kind in ("weight", "bias"):
            found[f"embeddings.LayerNorm.{kind}"] = getattr(self.norm, kind).data
            for i, layer in enumerate(self.layers):
                at = f"encoder.layer.{i}."
                for n, part in zip(("query", "key", "value"), getattr(layer.query_key_value, kind).data.chunk(3)):
                    found[f"{at}attention.self.{n}.{kind}"] = part
                found[f"{at}attention.output.dense.{kind}"] = getattr(layer.output, kind).data
                found[f"{at}attention.output.LayerNorm.{kind}"] = getattr(layer.attention_norm, kind).data
                found[f"{at}intermediate.dense.{kind}"] = getattr(layer.inner, kind).data
                found[f"{at}output.dense.{kind}"] = getattr(layer.outer, kind).data
                found[f"{at}output.LayerNorm.{kind}"] = getattr(layer.output_norm, kind).data
        return found

    def head_tensors(self):
        """Returns the weights of the heads."""
        names = ("talk", "tags", "references", "status", "queries", "keys", "inspect", "right")
        found = {f"heads.{n}.{kind}": getattr(getattr(self, n), kind).data for n in names for kind in ("weight", "bias")}
        return found | {f"heads.{n}": getattr(self, n).data for n in ("special", "near", "apart")}

    def load_heads(self, tensors):
        """Takes the weights of the heads in the naming of `head_tensors`."""
        for name, mine in self.head_tensors().items():
            mine.copy_(tensors[name].float())

    def encode(self, ids, types, lengths):
        positions = torch.arange(ids.shape[1], device=ids.device)
        x = self.norm(self.words(ids) + self.types(types) + self.positions(positions)[None])
        mask = torch.zeros(ids.shape[0], 1, 1, ids.shape[1], device=ids.device)
        mask.masked_fill_((positions[None] >= lengths[:, None])[:, None, None], float("-inf"))
        x = self.dropout(x)
        mask = mask.to(torch.bfloat16) if torch.is_autocast_enabled(ids.device.type) else mask
        for layer in self.layers:
            x = layer(x, mask)
        return x.float()

    def scores(self, x, kinds, pieces, candidates, buckets):
        """Returns the scores of what references of one window may mean: the candidates, then the special meanings."""
        queries = self.queries(x[pieces]).view(len(pieces), len(KINDS), QUERY)[torch.arange(len(pieces), device=x.device), kinds]
        keys = torch.cat([self.keys(x[candidates]), self.special])
        scores = queries @ keys.T / math.sqrt(QUERY)
        near = self.near[kinds[:, None], buckets] if len(candidates) else torch.zeros(len(pieces), 0, device=x.device)
        return scores + torch.cat([near, self.apart[kinds]], 1)

    def rightness(self, x, words):
        """Returns a score of how likely the statement in some words is right. `words` has the first piece of each word."""
        inside = x[words]
        return self.right(torch.relu(self.inspect(torch.cat([inside[0], inside[-1], inside.mean(0)]))))[0]
