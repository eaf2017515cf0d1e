"""Adapts the encoder to table talk before training, by guessing words that are left out: see README.md."""

import argparse
import os
import random
import time

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import nn

from data import DEVELOPMENT, TEST, TITLES, Corpus, Line, Names, Pieces, CLASSIFY, SEPARATE
from model import HIDDEN, Model

MASK = 103
LENGTH = 256
# Part of the pieces that are left out.
LEFT_OUT = 0.25


def sequences(corpus, pieces, names, rng):
    """Returns the text of all episodes for training as sequences of pieces with their types. Most names are invented."""
    made = []
    for episode in sorted(corpus.lines):
        if episode[:6] in TEST or episode[:6] in DEVELOPMENT:
            continue
        rename, ids, types = {}, [CLASSIFY], [0]
        for number, text in enumerate(corpus.lines[episode]):
            if not text.strip():
                continue
            line = Line(corpus, episode, number, None)
            ids.append(line.role)
            types.append(0)
            for at, (word, _, _) in enumerate(line.words):
                if at in line.is_name and word.lower() not in rename and word.lower() not in TITLES and len(word) > 1:
                    rename[word.lower()] = names.word() if rng.random() < 0.8 else word
                part = pieces.of(rename.get(word.lower(), word) if at in line.is_name else word)
                ids.extend(part)
                types.extend([int(at in line.is_name)] * len(part))
            if len(ids) >= LENGTH - 1:
                made.append((ids[:LENGTH - 1] + [SEPARATE], types[:LENGTH - 1] + [0]))
                rename, ids, types = rename if rng.random() < 0.9 else {}, [CLASSIFY], [0]
    return made


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--text", required=True)
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--out", required=True, help="file of the adapted weights")
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    rng = random.Random(args.seed)
    corpus = Corpus(args.text)
    pieces = Pieces(Tokenizer.from_file(os.path.join(args.encoder, "tokenizer.json")))
    names = Names(args.seed)
    kept = [sequences(corpus, pieces, names, rng) for _ in range(3)]
    data = [(torch.tensor([s[0] for s in made]).to(args.device), torch.tensor([s[1] for s in made]).to(args.device)) for made in kept]
    model = Model()
    model.load_encoder(load_file(os.path.join(args.encoder, "model.safetensors")))
    model = model.to(args.device)
    guess = nn.Sequential(nn.Linear(HIDDEN, HIDDEN), nn.GELU(), nn.LayerNorm(HIDDEN)).to(args.device)
    bias = nn.Parameter(torch.zeros(model.words.weight.shape[0], device=args.device))
    optimizer = torch.optim.AdamW([*model.parameters(), *guess.parameters(), bias], lr=args.rate, weight_decay=0.01)
    started, step, shown = time.time(), 0, 0.0
    lengths = torch.full((args.batch,), LENGTH, device=args.device)
    print(len(data[0][0]), "sequences", flush=True)
    while (spent := (time.time() - started) / (60 * args.minutes)) < 1:
        ids, types = data[step % len(data)]
        chosen = torch.randint(0, len(ids), (args.batch,), device=args.device)
        whole, kind = ids[chosen], types[chosen]
        out = (torch.rand(whole.shape, device=args.device) < LEFT_OUT) & (whole > SEPARATE) & (kind == 0)
        fate = torch.rand(whole.shape, device=args.device)
        other = torch.randint(1000, 30000, whole.shape, device=args.device)
        shownids = torch.where(out & (fate < 0.8), MASK, torch.where(out & (fate < 0.9), other, whole))
        for group in optimizer.param_groups:
            group["lr"] = args.rate * min(1.0, step / 300) * max(0.02, 1 - spent)
        with torch.autocast(torch.device(args.device).type, torch.bfloat16):
            x = model.encode(shownids, kind, lengths)[out]
            loss = nn.functional.cross_entropy((guess(x) @ model.words.weight.T + bias).float(), whole[out])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        if step % 500 == 0:
            print(step, round(loss.item(), 3), round(spent, 2), flush=True)
    print("steps", step, "loss", round(loss.item(), 3))
    save_file({n: t.half().cpu().contiguous() for n, t in model.encoder_tensors().items()}, args.out)


if __name__ == "__main__":
    main()
