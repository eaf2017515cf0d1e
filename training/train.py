"""Trains the reading model: see README.md."""

import argparse
import copy
import json
import math
import os
import random
import time

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import nn

from data import (BEGIN, DEVELOPMENT, GENDERS, INSIDE, KINDS, OUTSIDE, PRONOUNS, SPECIAL, STATUS, TALK, TEST, Corpus, Names,
                  Pieces, bucket, chunks, puzzle, windows)
from model import Model


# Weight of the judgement of a statement in the loss.
JUDGED = 0.5
# Weight of a pronoun in a puzzle in the loss.
PUZZLES = 0.5
# Factor of the average of weights over the steps of training.
AVERAGE = 0.998


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
    device = model.special.device
    length = max(len(w["ids"]) for w in batch)
    ids = torch.tensor([w["ids"] + [0] * (length - len(w["ids"])) for w in batch]).to(device)
    types = torch.tensor([w["types"] + [0] * (length - len(w["ids"])) for w in batch]).to(device)
    lengths = torch.tensor([len(w["ids"]) for w in batch]).to(device)
    with torch.autocast(device.type, torch.bfloat16, enabled=autocast):
        return model.encode(ids, types, lengths)


def answers(model, x, w):
    """Returns the scores of each reference of a window."""
    if not w["queries"]:
        return None
    tensor = lambda values: torch.tensor(values, dtype=torch.long).to(x.device)
    kinds, pieces = tensor([q[0] for q in w["queries"]]), tensor([q[1] for q in w["queries"]])
    candidates = tensor([c[0] for c in w["candidates"]])
    buckets = tensor(w["buckets"]).view(len(w["queries"]), -1)
    scores = model.scores(x, kinds, pieces, candidates, buckets)
    excluded = torch.tensor([row + [False] * len(SPECIAL) for row in w["excluded"]]).to(x.device)
    return scores.masked_fill(excluded, -1e4)


def loss(model, x, batch):
    def gather(field):
        pairs = [(i, at, label) for i, w in enumerate(batch) for at, label in w[field]]
        return torch.tensor(pairs, dtype=torch.long).view(-1, 3).T.to(x.device)

    total = torch.zeros((), device=x.device)
    weights = {"talk": 1.0, "tags": 0.3, "references": 0.3, "statuses": 0.5}
    for field, head in (("talk", model.talk), ("tags", model.tags), ("references", model.references), ("statuses", model.status)):
        rows, places, labels = gather(field)
        if len(labels):
            each = nn.functional.cross_entropy(head(x[rows, places]), labels, reduction="sum")
            total = total + weights[field] * each
    for i, w in enumerate(batch):
        scores = answers(model, x[i], w)
        if scores is not None:
            right = torch.full(scores.shape, float("-inf"))
            for row, query in enumerate(w["queries"]):
                right[row, query[4]] = 0.0
            right = right.to(x.device)
            weight = 1.0 if w["talk"] else PUZZLES
            total = total + weight * (scores.logsumexp(1) - (scores + right).logsumexp(1)).sum()
        if w["judged"]:
            scores = torch.stack([model.rightness(x[i], words) for words, _ in w["judged"]])
            judged = torch.tensor([right for _, right in w["judged"]]).to(x.device)
            total = total + JUDGED * nn.functional.binary_cross_entropy_with_logits(scores, judged, reduction="sum")
    return total / sum(len(w["talk"]) + len(w["statuses"]) + len(w["queries"]) / 4 for w in batch)


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
    places = torch.tensor([at for at, _ in tags]).to(x.device)
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


class Average:
    """The moving average of the weights of a model."""

    def __init__(self, model):
        self.model = copy.deepcopy(model)
        self.steps = 0

    @torch.no_grad()
    def add(self, model):
        self.steps += 1
        keep = min(AVERAGE, 1 - 1 / self.steps)
        for mine, other in zip(self.model.parameters(), model.parameters()):
            mine.lerp_(other, 1 - keep)


def optimizer_of(model, rate):
    """Returns the optimizer. The embeddings of words and positions stay as they are."""
    names = ("talk", "tags", "references", "status", "queries", "keys", "special", "near", "apart", "inspect", "right")
    first = {name: name.split(".")[0] for name, _ in model.named_parameters()}
    heads = [p for n, p in model.named_parameters() if first[n] in names]
    trunk = [p for n, p in model.named_parameters() if first[n] not in names + ("words", "positions")]
    for module in (model.words, model.positions):
        module.weight.requires_grad_(False)
    return torch.optim.AdamW([{"params": trunk, "lr": rate}, {"params": heads, "lr": 10 * rate}], weight_decay=0.01)


def save(model, out):
    os.makedirs(out, exist_ok=True)
    tensors = model.encoder_tensors() | model.head_tensors()
    save_file({n: t.half().cpu().contiguous() for n, t in tensors.items()}, os.path.join(out, "model.safetensors"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--text", required=True, help="folder with summaries/ and transcripts/")
    parser.add_argument("--encoder", required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--trunk", help="weights that pretrain.py made, instead of those of the encoder")
    parser.add_argument("--out", required=True)
    parser.add_argument("--labels", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "labels"))
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--pieces", type=int, default=2000, help="pieces of a batch")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--on", choices=["development", "test"], default="development")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--puzzles", type=float, default=1.0, help="windows with puzzles, per window with labels")
    parser.add_argument("--fold", help="K/N: train without every N-th episode from K on, and write the statements found in these")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    corpus = Corpus(args.text)
    pieces = Pieces(Tokenizer.from_file(os.path.join(args.encoder, "tokenizer.json")))
    episodes = sorted({name[:6] for name in corpus.lines} - set(TEST) - set(DEVELOPMENT))
    held_out = set(DEVELOPMENT if args.on == "development" else TEST)
    if args.fold:
        at, count = map(int, args.fold.split("/"))
        held_out = set(episodes[at::count])
    training = chunks(corpus, args.labels, set(episodes) - held_out)
    asked = [w for chunk in chunks(corpus, args.labels, held_out) for w in windows(chunk, pieces)]
    # All seeds begin with the same heads, so that their weights can be averaged.
    torch.manual_seed(0)
    model = Model()
    torch.manual_seed(args.seed)
    model.load_encoder(load_file(args.trunk or os.path.join(args.encoder, "model.safetensors")))
    model = model.to(args.device)
    optimizer, average = optimizer_of(model, args.rate), Average(model)
    names = Names(args.seed)
    first = [w for chunk in training for w in windows(chunk, pieces, names, 0.75, rng)]
    texts = [name for name in sorted(corpus.lines) if name[:6] not in held_out | set(TEST) | set(DEVELOPMENT)]

    def puzzles(count):
        # Summaries have more names and clearer references than talk.
        weights = [len(corpus.lines[name]) * (20 if name.endswith("S") else 1) for name in texts]
        made = [puzzle(corpus, name, pieces, names if rng.random() < 0.75 else None, rng) for name in rng.choices(texts, weights, k=count)]
        return [w for w in made if w["queries"]]

    steps = args.epochs * len(batches(first + puzzles(int(args.puzzles * len(first))), args.pieces))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(s / (0.1 * steps), max(0.02, 1 - s / steps)))
    print(len(training), "chunks,", len(first), "windows,", sum(len(w["statuses"]) for w in first), "statements,",
          sum(len(w["judged"]) for w in first), "judged,", steps, "steps", flush=True)
    model.train()
    for epoch in range(args.epochs):
        started, sum_of, count = time.time(), 0.0, 0
        made = [w for chunk in training for w in windows(chunk, pieces, names, 0.75, rng)]
        made += puzzles(int(args.puzzles * len(made)))
        for batch in batches(made, args.pieces, rng):
            value = loss(model, run(model, batch, True), batch)
            optimizer.zero_grad()
            value.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            average.add(model)
            sum_of, count = sum_of + value.detach(), count + 1
        print(json.dumps({"epoch": epoch + 1, "loss": round((sum_of / count).item(), 3), "seconds": round(time.time() - started)}), flush=True)
        if epoch % 4 == 3 or epoch + 1 == args.epochs:
            print(json.dumps({"average": evaluate(average.model, asked)}), flush=True)
            save(average.model, args.out)
    if args.fold:
        with open(os.path.join(args.out, "candidates.jsonl"), "w", encoding="utf-8") as file:
            for row in statements(average.model, asked):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


# Factor for the probability that a word stands outside statements, as in `decoder.rs`.
LESS_OUTSIDE = 0.2


@torch.no_grad()
def statements(model, made):
    """Yields all statements that the model finds in windows, doubtful ones too."""
    model.eval()
    for batch in batches(made, 6000):
        for x, w in zip(run(model, batch, False), batch):
            lines, (start, core, end) = w["chunk"][1], w["lines"]
            for i in range(core, end):
                line = lines[i]
                known = [k for k in range(len(line.words)) if (i, k) in w["firsts"]]
                if not known or not line.label:
                    continue
                rows = x[torch.tensor([w["firsts"][i, k] for k in known]).to(x.device)]
                talk = model.talk(x[w["marks"][i - start][0]]).softmax(0).tolist()
                tags = model.tags(rows).log_softmax(1)
                tags[:, OUTSIDE] += math.log(LESS_OUTSIDE)
                marked = best_tags(model.references(rows).log_softmax(1).tolist())
                for a, b in spans(list(zip(known, best_tags(tags.tolist())))):
                    queries = [(1, w["firsts"][i, a], i, a), (2, w["firsts"][i, a], i, a)]
                    inside = spans([(k, marked[k]) if k > a or marked[k] != INSIDE else (k, BEGIN) for k in range(a, b + 1)])
                    queries += [(0, w["firsts"][i, r], i, r) for r, _ in inside]
                    meant = meanings(model, x, w, queries)
                    yield {
                        "chunk": w["chunk"][0], "line": line.number, "span": [line.words[a][1], line.words[b][2]], "talk": talk,
                        "begins": tags[a].softmax(0)[BEGIN].item(),
                        "status": STATUS[int(model.status(rows[a]).argmax())], "subject": meant[0], "by": meant[1],
                        "references": [[line.words[r][1], line.words[s][2], *m] for (r, s), m in zip(inside, meant[2:])],
                        "right": model.rightness(x, [w["firsts"][i, k] for k in range(a, b + 1)]).sigmoid().item(),
                    }


def meanings(model, x, w, queries):
    """Returns the most likely meaning of each reference, with its probability."""
    lines, candidates = w["chunk"][1], w["candidates"]
    excluded = []
    for kind, _, i, at in queries:
        gender = PRONOUNS.get(lines[i].words[at][0].lower()) if kind == 0 else None
        excluded.append([gender is not None and GENDERS.get(c[3], gender) != gender for c in candidates])
    asked = {"queries": queries, "candidates": candidates, "excluded": excluded,
             "buckets": [[bucket(i - c[1], at - c[2], c[4]) if c[1] <= i else 7 for c in candidates] for _, _, i, at in queries]}
    found = []
    for (kind, _, i, at), row in zip(queries, answers(model, x, asked).softmax(1).tolist()):
        if kind == 0 and lines[i].speaker and lines[i].words[at][0].lower() in ("i", "me", "my", "mine", "myself"):
            found.append((lines[i].speaker, 1.0))
            continue
        sums = {}
        for name, p in zip([c[3] for c in candidates] + ["@" + s for s in SPECIAL], row):
            sums[name] = sums.get(name, 0.0) + p
        found.append(max(sums.items(), key=lambda pair: pair[1]))
    return found


def overlap(one, other):
    both = min(one[1], other[1]) - max(one[0], other[0]) + 1
    return max(0, both) / (max(one[1], other[1]) - min(one[0], other[0]) + 1)


if __name__ == "__main__":
    main()
