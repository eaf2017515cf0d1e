"""Trains the entailment model: see README.md."""

import argparse
import json
import math
import os
import random
import shutil
import sys
import time

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import nn

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from model import Model  # noqa: E402

NEUTRAL, STATES, CONTRADICTS = range(3)
# Hypothesis of a pair that asks whether a reply claims anything about the world.
CLAIM = "This claims something about somebody or something."
# Maximum number of neutral pairs of one scene in an epoch.
NEUTRALS = 7
MAX_TOKENS = 192


class Entailment(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder
        self.classifier = nn.Linear(384, 3)

    def forward(self, ids, types, lengths):
        with torch.autocast(ids.device.type, torch.bfloat16):
            x = self.encoder.encode(ids, types, lengths)
        return self.classifier(self.encoder.dropout(x[:, 0]))


def premise(speaker, listener, question, reply):
    return f"{listener}: {question} {speaker}: {reply}"


def scene_pairs(scene):
    """Returns pairs of a premise, a hypothesis and a label."""
    pairs = []
    for reply in scene["replies"]:
        text = premise(scene["speaker"], scene["listener"], scene["question"], reply["text"])
        for at, fact in enumerate(scene["facts"]):
            label = STATES if at in reply["states"] else CONTRADICTS if at in reply["contradicts"] else NEUTRAL
            pairs.append((text, fact, label))
        claims = bool(reply["states"] or reply["contradicts"] or reply["invents"])
        pairs.append((text, CLAIM, STATES if claims else NEUTRAL))
    return pairs


def encode(tokenizer, pair):
    text, hypothesis, label = pair
    first, second = tokenizer.encode(text).ids[1:-1], tokenizer.encode(hypothesis).ids[1:-1]
    first = first[-(MAX_TOKENS - len(second)):]
    ids = [101] + first + [102] + second + [102]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1), label


def batches(pairs, size, rng=None):
    ordered = sorted(pairs, key=lambda pair: len(pair[0]))
    made = [ordered[at:at + size] for at in range(0, len(ordered), size)]
    if rng:
        rng.shuffle(made)
    return made


def tensors(batch):
    length = max(len(ids) for ids, _, _ in batch)
    pad = lambda values: values + [0] * (length - len(values))
    return (torch.tensor([pad(ids) for ids, _, _ in batch]), torch.tensor([pad(types) for _, types, _ in batch]),
            torch.tensor([len(ids) for ids, _, _ in batch]), torch.tensor([label for _, _, label in batch]))


@torch.no_grad()
def evaluate(model, pairs):
    model.eval()
    table = [[0] * 3 for _ in range(3)]
    loss = 0.0
    for batch in batches(pairs, 32):
        ids, types, lengths, labels = tensors(batch)
        scores = model(ids, types, lengths)
        loss += nn.functional.cross_entropy(scores, labels, reduction="sum").item()
        for right, found in zip(labels.tolist(), scores.argmax(1).tolist()):
            table[right][found] += 1
    figures = {"loss": loss / len(pairs)}
    for label, name in ((STATES, "states"), (CONTRADICTS, "contradicts")):
        found = sum(row[label] for row in table)
        figures[name] = {"precision": table[label][label] / max(found, 1), "recall": table[label][label] / max(sum(table[label]), 1)}
    model.train()
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", required=True, help="directory of all-MiniLM-L6-v2")
    parser.add_argument("--scenes", required=True, help="folder of the labelled scenes")
    parser.add_argument("--out", required=True, help="directory of the trained model")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rate", type=float, default=8e-5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--layers", type=int, default=4, help="number of upper layers that are trained")
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(arguments.threads)
    rng = random.Random(arguments.seed)
    tokenizer = Tokenizer.from_file(os.path.join(arguments.encoder, "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    scenes = []
    for name in sorted(os.listdir(arguments.scenes)):
        with open(os.path.join(arguments.scenes, name), encoding="utf-8") as file:
            scenes.extend((name, json.loads(line)) for line in file if line.strip())
    rng.shuffle(scenes)
    # Every twelfth scene is kept apart to watch the training. The drafts of `hearsay_eval dialogue` measure the result.
    held = [scene for at, (_, scene) in enumerate(scenes) if at % 12 == 0]
    taken = [scene for at, (_, scene) in enumerate(scenes) if at % 12]
    held_pairs = [encode(tokenizer, pair) for scene in held for pair in scene_pairs(scene)]
    encoder = Model(0.1)
    encoder.load_encoder(load_file(os.path.join(arguments.encoder, "model.safetensors")))
    model = Entailment(encoder)
    for parameters in (encoder.words, encoder.positions, *encoder.layers[:6 - arguments.layers]):
        for parameter in parameters.parameters():
            parameter.requires_grad = False
    trained = [parameter for name, parameter in model.named_parameters()
               if parameter.requires_grad and (name.startswith("classifier") or any(part in name for part in ("encoder.layers", "encoder.norm", "encoder.types")))]
    optimizer = torch.optim.AdamW(trained, lr=arguments.rate, weight_decay=0.01, fused=True)
    per_scene = [[encode(tokenizer, pair) for pair in scene_pairs(scene)] for scene in taken]

    def epoch_pairs():
        pairs = []
        for encoded in per_scene:
            neutral = [pair for pair in encoded if pair[2] == NEUTRAL]
            pairs.extend(pair for pair in encoded if pair[2] != NEUTRAL)
            pairs.extend(rng.sample(neutral, min(NEUTRALS, len(neutral))))
        return pairs

    steps = arguments.epochs * math.ceil(len(epoch_pairs()) / 16)
    step, begun = 0, time.time()
    print(f"{len(taken)} scenes, {len(held)} held apart, {steps} steps", flush=True)
    model.train()
    for epoch in range(arguments.epochs):
        total = 0.0
        made = batches(epoch_pairs(), 16, rng)
        for batch in made:
            rate = arguments.rate * min(1.0, step / (0.1 * steps), (steps - step) / (0.9 * steps))
            for group in optimizer.param_groups:
                group["lr"] = max(rate, 1e-7)
            ids, types, lengths, labels = tensors(batch)
            loss = nn.functional.cross_entropy(model(ids, types, lengths), labels, label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            total, step = total + loss.item(), step + 1
            if step % 100 == 0:
                print(f"step {step} of {steps}, {time.time() - begun:.0f} s, loss {loss.item():.3f}", flush=True)
        print(f"epoch {epoch + 1}: loss {total / len(made):.3f}, {evaluate(model, held_pairs)}, {time.time() - begun:.0f} s", flush=True)
        save(model, arguments.encoder, arguments.out)


def save(model, encoder_directory, out):
    os.makedirs(out, exist_ok=True)
    tensors_out = {name: value.half().contiguous() for name, value in model.encoder.encoder_tensors().items()}
    tensors_out["classifier.weight"] = model.classifier.weight.detach().half().contiguous()
    tensors_out["classifier.bias"] = model.classifier.bias.detach().half().contiguous()
    save_file(tensors_out, os.path.join(out, "model.safetensors"))
    for name in ("config.json", "tokenizer.json"):
        shutil.copy(os.path.join(encoder_directory, name), os.path.join(out, name))


if __name__ == "__main__":
    main()
