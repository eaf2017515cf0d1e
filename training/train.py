"""Trains the reading model: see README.md."""

import argparse
import json
import os
import random
import time

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import nn

from data import BEGIN, DEVELOPMENT, INSIDE, KINDS, OUTSIDE, SPECIAL, TALK, TEST, Corpus, Names, Pieces, chunks, windows
from model import Model


def batches(made, most, rng=None):
    made = sorted(made, key=lambda w: len(w["ids"]))
    found, batch = [], []
    for w in made:
        if batch and len(w["ids"]) * (len(batch) + 1) > most:
            found.append(batch)
            batch = []
        batch.append(w)
    found.append(batch)
    if rng:
        rng.shuffle(found)
    return found


def run(model, batch, autocast):
    length = max(len(w["ids"]) for w in batch)
    ids = torch.tensor([w["ids"] + [0] * (length - len(w["ids"])) for w in batch])
    types = torch.tensor([w["types"] + [0] * (length - len(w["ids"])) for w in batch])
    lengths = torch.tensor([len(w["ids"]) for w in batch])
    with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        return model.encode(ids, types, lengths)


def answers(model, x, w):
    """Returns the scores of each reference of a window."""
    if not w["queries"]:
        return None
    kinds = torch.tensor([q[0] for q in w["queries"]])
    pieces = torch.tensor([q[1] for q in w["queries"]])
    candidates = torch.tensor([c[0] for c in w["candidates"]], dtype=torch.long)
    buckets = torch.tensor(w["buckets"], dtype=torch.long).view(len(w["queries"]), -1)
    scores = model.scores(x, kinds, pieces, candidates, buckets)
    excluded = torch.tensor([row + [False] * len(SPECIAL) for row in w["excluded"]])
    return scores.masked_fill(excluded, -1e4)


def loss(model, x, batch):
    def gather(field):
        pairs = [(i, at, label) for i, w in enumerate(batch) for at, label in w[field]]
        return (torch.tensor([p[0] for p in pairs], dtype=torch.long), torch.tensor([p[1] for p in pairs], dtype=torch.long),
                torch.tensor([p[2] for p in pairs], dtype=torch.long))

    total = torch.zeros(())
    weights = {"talk": 1.0, "tags": 0.3, "references": 0.3, "statuses": 0.5}
    for field, head in (("talk", model.talk), ("tags", model.tags), ("references", model.references), ("statuses", model.status)):
        rows, places, labels = gather(field)
        if len(labels):
            each = nn.functional.cross_entropy(head(x[rows, places]), labels, reduction="sum")
            total = total + weights[field] * each
    for i, w in enumerate(batch):
        scores = answers(model, x[i], w)
        if scores is not None:
            right = torch.full_like(scores, float("-inf"))
            for row, query in enumerate(w["queries"]):
                right[row, query[4]] = 0.0
            total = total + (scores.logsumexp(1) - (scores + right).logsumexp(1)).sum()
    return total / sum(len(w["talk"]) + len(w["statuses"]) for w in batch)


def spans(tags):
    """Returns the first and last piece of each statement, from the tags of words in order."""
    found = []
    for at, tag in tags:
        if tag == BEGIN:
            found.append([at, at])
        elif tag == INSIDE:
            found[-1][1] = at
    return [tuple(span) for span in found]


def best_tags(scores):
    """Returns the likeliest tags of words in order, in which nothing is inside a statement that did not begin."""
    value, back = None, []
    for outside, begin, inside in scores:
        if value is None:
            value = [outside, begin, float("-inf")]
            continue
        ended = OUTSIDE if value[OUTSIDE] >= max(value[1:]) else BEGIN if value[BEGIN] >= value[INSIDE] else INSIDE
        open_from = BEGIN if value[BEGIN] >= value[INSIDE] else INSIDE
        back.append((ended, ended, open_from))
        value = [value[ended] + outside, value[ended] + begin, value[open_from] + inside]
    if value is None:
        return []
    tags = [max(range(3), key=lambda tag: value[tag])]
    for step in reversed(back):
        tags.append(step[tags[-1]])
    return tags[::-1]


def found_spans(model, x, tags):
    """Returns the statements that the model finds in the words of a window."""
    places = torch.tensor([at for at, _ in tags])
    return spans(list(zip(places.tolist(), best_tags(model.tags(x[places]).log_softmax(1).tolist()))))


@torch.no_grad()
def evaluate(model, made):
    model.eval()
    talk = [[0] * len(TALK) for _ in TALK]
    status, answered = [0, 0], {kind: [0, 0] for kind in KINDS}
    found = {"written": [0, 0, 0, 0], "spoken": [0, 0, 0, 0]}
    reference = [0, 0, 0]
    for batch in batches(made, 6000):
        xs = run(model, batch, False)
        for x, w in zip(xs, batch):
            part = found["written" if w["ids"][1] == 1 else "spoken"]
            for at, label in w["talk"]:
                talk[label][int(model.talk(x[at]).argmax())] += 1
            if w["tags"]:
                guessed = found_spans(model, x, w["tags"])
                labelled = spans(w["tags"])
                part[0] += len(guessed)
                part[1] += len(labelled)
                part[2] += len(set(guessed) & set(labelled))
                part[3] += sum(any(overlap(g, l) >= 0.6 for l in labelled) for g in guessed)
            for at, label in w["statuses"]:
                status[0] += int(model.status(x[at]).argmax()) == label
                status[1] += 1
            for at, label in w["references"]:
                guess = int(model.references(x[at]).argmax())
                reference[0] += guess == 1
                reference[1] += label == 1
                reference[2] += guess == label == 1
            scores = answers(model, x, w)
            if scores is not None:
                for (kind, _, _, _, gold), best in zip(w["queries"], scores.argmax(1).tolist()):
                    names = [c[3] for c in w["candidates"]]
                    right = best in gold or (best < len(names) and any(g < len(names) and names[g] == names[best] for g in gold))
                    answered[KINDS[kind]][0] += right
                    answered[KINDS[kind]][1] += 1
    model.train()
    ratio = lambda a, b: round(a / max(b, 1), 3)
    return {
        "talk": ratio(sum(talk[i][i] for i in range(3)), sum(map(sum, talk))), "talk_table": talk,
        "statements": {k: {"precision": ratio(v[2], v[0]), "recall": ratio(v[2], v[1]), "overlap": ratio(v[3], v[0]), "found": v[0], "labelled": v[1]} for k, v in found.items()},
        "status": ratio(*status), "references": {"precision": ratio(reference[2], reference[0]), "recall": ratio(reference[2], reference[1])},
        "meaning": {k: ratio(*v) for k, v in answered.items()},
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--text", required=True, help="folder with summaries/ and transcripts/")
    parser.add_argument("--encoder", required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--out", required=True)
    parser.add_argument("--labels", default=os.path.join(os.path.dirname(__file__), "labels"))
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--pieces", type=int, default=2000, help="pieces of a batch")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--on", choices=["development", "test"], default="development")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    rng = random.Random(args.seed)
    corpus = Corpus(args.text)
    pieces = Pieces(Tokenizer.from_file(os.path.join(args.encoder, "tokenizer.json")))
    episodes = {name[:6] for name in corpus.lines}
    held_out = set(TEST) | set(DEVELOPMENT)
    training = chunks(corpus, args.labels, episodes - held_out)
    asked = [w for chunk in chunks(corpus, args.labels, set(DEVELOPMENT if args.on == "development" else TEST)) for w in windows(chunk, pieces)]
    model = Model()
    model.load_encoder(load_file(os.path.join(args.encoder, "model.safetensors")))
    heads = [p for n, p in model.named_parameters() if n.split(".")[0] in ("talk", "tags", "references", "status", "queries", "keys", "special", "near", "apart")]
    trunk = [p for n, p in model.named_parameters() if n.split(".")[0] not in ("talk", "tags", "references", "status", "queries", "keys", "special", "near", "apart", "words", "positions")]
    words = [p for n, p in model.named_parameters() if n.split(".")[0] in ("words", "positions")]
    for p in words:
        p.requires_grad_(False)
    optimizer = torch.optim.AdamW([{"params": trunk, "lr": args.rate}, {"params": heads, "lr": 10 * args.rate}], weight_decay=0.01)
    names = Names(args.seed)
    first = [w for chunk in training for w in windows(chunk, pieces, names, 0.75, rng)]
    steps = args.epochs * len(batches(first, args.pieces))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(s / (0.1 * steps), max(0.02, 1 - s / steps)))
    print(len(training), "chunks,", len(first), "windows,", sum(len(w["statuses"]) for w in first), "statements,", steps, "steps", flush=True)
    model.train()
    for epoch in range(args.epochs):
        started, sum_of, count = time.time(), 0.0, 0
        made = [w for chunk in training for w in windows(chunk, pieces, names, 0.75, rng)]
        for batch in batches(made, args.pieces, rng):
            value = loss(model, run(model, batch, True), batch)
            optimizer.zero_grad()
            value.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            sum_of, count = sum_of + value.item(), count + 1
        print(json.dumps({"epoch": epoch + 1, "loss": round(sum_of / count, 3), "seconds": round(time.time() - started)}), flush=True)
        print(json.dumps(evaluate(model, asked)), flush=True)
        os.makedirs(args.out, exist_ok=True)
        tensors = model.encoder_tensors() | model.head_tensors()
        save_file({n: t.half().contiguous() for n, t in tensors.items()}, os.path.join(args.out, "model.safetensors"))


def overlap(one, other):
    both = min(one[1], other[1]) - max(one[0], other[0]) + 1
    return max(0, both) / (max(one[1], other[1]) - min(one[0], other[0]) + 1)


if __name__ == "__main__":
    main()
