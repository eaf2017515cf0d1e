"""Windows of text as the model reads them, with their labels."""

import glob
import json
import os
import random

from text import PARTY, PLAYERS, TITLES, Corpus, normal, same, words

TEST = ["C1E011", "C1E025", "C1E036", "C1E050", "C1E065", "C1E088", "C1E097", "C1E111"]
DEVELOPMENT = ["C1E007", "C1E031", "C1E060", "C1E093"]

TALK = ["n", "c", "o"]
STATUS = ["a", "n", "p", "h", "e"]
# The first pieces of a line: who speaks. The ids are unused entries of the vocabulary of BERT.
WRITTEN, MASTER, PLAYER = 1, 2, 3
CLASSIFY, SEPARATE = 101, 102
# Pronouns that tell the gender of a person, and what is known of the players' characters.
PRONOUNS = {"he": "he", "him": "he", "his": "he", "himself": "he", "she": "she", "her": "she", "hers": "she", "herself": "she"}
GENDERS = {"vex": "she", "keyleth": "she", "pike": "she", "vax": "he", "percy": "he", "grog": "he", "scanlan": "he", "tiberius": "he", "tary": "he"}
# Words before the object of a clause.
OBJECTS = set("to at of for with from by on in into onto over under behind near past against toward towards about like tells told gives gave asks "
              "sees saw hits hit kills killed helps finds found takes took meets met joins follows leads brings and".split())
OUTSIDE, BEGIN, INSIDE = 0, 1, 2
# What a reference may mean that stands nowhere in the window.
SPECIAL = ["party", "other", "own"]
KINDS = ["reference", "subject", "by"]
# Buckets of the distance between a reference and what it may mean, in lines, and in words within one line.
BUCKETS = 12
# Pieces of a window, and at most of the lines before those that it asks about.
LONGEST = 400
CONTEXT = 200


def bucket(lines, distance, marker):
    """Returns the bucket of a candidate: `lines` before the reference, `distance` words before it in the same line."""
    if marker:
        return 8 + min(lines, 3)
    if lines > 0:
        return min(lines, 3) + 3
    if distance < 0:
        return 7
    return 0 if distance < 6 else 1 if distance < 14 else 2 if distance < 30 else 3


class Names:
    """Invents names, so that a model does not learn those of a campaign."""

    ONSETS = "b br c ch cr d dr f fl g gr h j k kr l m n p ph qu r s sh sk st t th tr v vr w y z".split() + [""]
    VOWELS = "a e i o u ae ai ei ia io ou y ee oo".split()
    CODAS = "n r l s th k m x nd rd lm sk rn ld ck sh".split() + ["", "", "", ""]
    PLAIN = ("stone hollow raven marsh iron oak river ash winter thorn ember silver crow black white storm harbor bridge star moon "
             "wolf gate keep hill dale ford wood water fire amber jasper rose ivy hazel rowan briar flint clay north hart").split()

    def __init__(self, seed):
        self.random = random.Random(seed)

    def word(self):
        pick = self.random.choice
        if self.random.random() < 0.2:
            return pick(self.PLAIN)
        syllables = self.random.choice([1, 2, 2, 2, 3])
        return "".join(pick(self.ONSETS) + pick(self.VOWELS) + (pick(self.CODAS) if i == syllables - 1 or self.random.random() < 0.3 else "")
                       for i in range(syllables))


class Line:
    """A line of text: its words, its names, who speaks, and its label if it has one."""

    def __init__(self, corpus, episode, number, label):
        text = corpus.lines[episode][number]
        self.number, self.label, self.text, self.judged = number, label, text, []
        self.role, self.speaker, start = WRITTEN, None, 0
        if episode.endswith("T"):
            speaker, colon, rest = text.partition(": ")
            if colon:
                start = len(speaker) + 2
                self.role = MASTER if speaker.lower() == "matt" else PLAYER
                self.speaker = PLAYERS.get(speaker.lower())
        self.words = [(word, a + start, b + start) for word, a, b in words(text[start:])]
        self.mentions = corpus.mentions(self.words)
        self.names = [normal(text[self.words[a][1]:self.words[b - 1][2]]) for a, b in self.mentions]
        self.is_name = {at for a, b in self.mentions for at in range(a, b)}

    def at(self, start, end):
        """Returns the words that overlap with a range of characters: the first, and the one behind the last."""
        inside = [i for i, (_, a, b) in enumerate(self.words) if a < end and b > start]
        return (inside[0], inside[-1] + 1) if inside else None


def chunks(corpus, folder, episodes):
    """Returns the labelled chunks of text of some episodes: lists of lines, the first ones without labels."""
    found, judged = [], {}
    for path in sorted(glob.glob(os.path.join(folder, "judged", "*.jsonl"))):
        with open(path, encoding="utf-8") as file:
            for row in map(json.loads, file):
                judged.setdefault((os.path.basename(path)[:7], row["line"]), []).append((row["span"], row["right"]))
    for name in sorted(os.listdir(folder)):
        episode, file = name[:7], os.path.join(folder, name)
        if not name.endswith(".jsonl") or name[:6] not in episodes:
            continue
        labels = {label["line"]: label for label in map(json.loads, open(file, encoding="utf-8"))}
        first, last = min(labels), max(labels)
        lines = [Line(corpus, episode, number, labels.get(number)) for number in range(max(0, first - 30), last + 1)]
        for line in lines:
            line.judged = judged.get((episode, line.number), []) if line.label else []
        found.append((name, lines))
    return found


class Pieces:
    """The pieces of words by the tokenizer of the encoder."""

    def __init__(self, tokenizer):
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self.tokenizer, self.known = tokenizer, {}

    def of(self, word):
        pieces = self.known.get(word)
        if pieces is None:
            ids = self.tokenizer.encode(word, add_special_tokens=False).ids
            pieces = self.known[word] = ids or [100]
        return pieces


def windows(chunk, pieces, names=None, masked=0.0, rng=None, most=LONGEST):
    """Cuts a chunk into windows: each labelled line is asked about in one of them, with lines before it as context."""
    lines = chunk[1]
    encoded = encode(lines, pieces, names if names and rng.random() < masked else None)
    size = [1 + sum(map(len, ids)) for ids in encoded]
    first = next(i for i, line in enumerate(lines) if line.label)
    made, at = [], first
    while at < len(lines):
        context = rng.randint(30, 240) if rng else CONTEXT
        start, used = at, 0
        while start > 0 and used + size[start - 1] <= context:
            start -= 1
            used += size[start]
        end = at
        while end < len(lines) and (end == at or used + size[end] <= most):
            used += size[end]
            end += 1
        made.append(window(chunk, encoded, start, at, end))
        at = end
    return made


def encode(lines, pieces, names):
    """Returns the pieces of each word of lines, with invented names if there is a generator of names."""
    rename = {}
    for line in lines if names else []:
        for at in line.is_name:
            word = line.words[at][0].lower()
            if word not in rename and word not in TITLES and len(word) > 1:
                rename[word] = names.word()
    return [[pieces.of(rename.get(word.lower(), word) if at in line.is_name else word) for at, (word, _, _) in enumerate(line.words)]
            for line in lines]


def puzzle(corpus, episode, pieces, names, rng):
    """Returns a window in which pronouns stand for some names that stand before them too, as in WikiCREM (Kocijan et al., 2019).

    A model learns from it whom pronouns mean, without labels.
    """
    count = len(corpus.lines[episode])
    start = rng.randrange(max(1, count - 8))
    lines, size = [], 0
    while start + len(lines) < count and size < 250:
        line = Line(corpus, episode, start + len(lines), None)
        lines.append(line)
        size += 1 + int(1.3 * len(line.words))
    asked, seen, reach = [], {}, 2 if episode.endswith("S") else 6
    for i, line in enumerate(lines):
        if line.speaker:
            seen[line.speaker] = i
        for k, ((a, _), known) in enumerate(zip(line.mentions, line.names)):
            is_person = not known.endswith("s") and (a == 0 or line.words[a - 1][0].lower() != "the")
            if i - seen.get(known, -99) <= reach and known != line.speaker and is_person and rng.random() < 0.4:
                asked.append((i, k))
            seen[known] = i
    queries = []
    for i, k in rng.sample(asked, min(6, len(asked))):
        line = lines[i]
        # Mentions before it in the line may have become shorter.
        a, b = line.mentions[k]
        known = line.names[k]
        gender = GENDERS.get(known) or ("he", "she")[sum(map(ord, known)) % 2]
        before = line.words[a - 1][0].lower() if a else ""
        follows = [word for word, _, _ in line.words[b:b + 2]]
        if follows[:1] and follows[0] in "'’" and follows[1:] == ["s"]:
            b, form = b + 2, {"he": "his", "she": "her"}[gender]
        elif before in OBJECTS or before.endswith("ing"):
            form = {"he": "him", "she": "her"}[gender]
        else:
            form = gender
        line.words[a:b] = [(form, line.words[a][1], line.words[b - 1][2])]
        shift = b - a - 1
        line.mentions[k] = None
        line.mentions = [m and (m if m[0] <= a else (m[0] - shift, m[1] - shift)) for m in line.mentions]
        queries = [(i_, at - shift if i_ == i and at > a else at, known_) for i_, at, known_ in queries] + [(i, a, known)]
    for line in lines:
        line.names = [known for m, known in zip(line.mentions, line.names) if m]
        line.mentions = [m for m in line.mentions if m]
        line.is_name = {at for a, b in line.mentions for at in range(a, b)}
    made = window((None, lines), encode(lines, pieces, names), 0, len(lines), len(lines))
    found = []
    for i, at, known in queries:
        gold = [k for k, c in enumerate(made["candidates"]) if same(c[3], known) and (c[1], c[2]) < (i, at)]
        if gold and (i, at) in made["firsts"]:
            gold = [k for k, c in enumerate(made["candidates"]) if same(c[3], known)]
            found.append((0, made["firsts"][i, at], i, at, gold))
    return made | pointers(lines, made["candidates"], found)


def pointers(lines, candidates, queries):
    """Returns the fields of a window that tell about the references: what they are, how far the candidates are, and who is excluded."""
    buckets = [[bucket(i - c[1], at - c[2], c[4]) if c[1] <= i else 7 for c in candidates] for _, _, i, at, _ in queries]
    # A person with another gender than the pronoun cannot be meant.
    excluded = []
    for kind, _, i, at, gold in queries:
        gender = PRONOUNS.get(lines[i].words[at][0].lower()) if kind == 0 else None
        excluded.append([gender is not None and GENDERS.get(c[3], gender) != gender and k not in gold for k, c in enumerate(candidates)])
    return {"queries": queries, "buckets": buckets, "excluded": excluded}


def window(chunk, encoded, start, core, end):
    lines = chunk[1]
    ids, types, marks, firsts = [CLASSIFY], [0], [], {}
    for i in range(start, end):
        line = lines[i]
        marks.append((len(ids), i))
        ids.append(line.role)
        types.append(0)
        for at, part in enumerate(encoded[i]):
            if len(ids) + len(part) >= LONGEST:
                break
            firsts[i, at] = len(ids)
            ids.extend(part)
            types.extend([int(at in line.is_name)] * len(part))
    ids.append(SEPARATE)
    types.append(0)

    candidates = []  # piece, line, word, normal name, whether it is the mark of a line
    for i in range(start, end):
        line = lines[i]
        if line.speaker:
            candidates.append((marks[i - start][0], i, -1, line.speaker, True))
        for (a, _), known in zip(line.mentions, line.names):
            if (i, a) in firsts:
                candidates.append((firsts[i, a], i, a, known, False))

    def gold(entity, special):
        known = normal(entity)
        if known == PARTY:
            return [len(candidates)]
        same_name = [k for k, candidate in enumerate(candidates) if same(candidate[3], known)]
        return same_name or [len(candidates) + special]

    talk, tags, references, statuses, queries, judged = [], [], [], [], [], []
    for i in range(core, end):
        line = lines[i]
        if not line.label:
            continue
        talk.append((marks[i - start][0], TALK.index(line.label["talk"])))
        tag = [OUTSIDE] * len(line.words)
        for statement in line.label.get("statements", []):
            found = line.at(*statement["span"])
            if found is None or any(tag[k] for k in range(*found)) or (i, found[1] - 1) not in firsts:
                continue
            a, b = found
            tag[a:b] = [BEGIN] + [INSIDE] * (b - a - 1)
            piece = firsts[i, a]
            statuses.append((piece, STATUS.index(statement["status"])))
            queries.append((1, piece, i, a, gold(statement["subject"], 1) if "subject" in statement else [len(candidates) + 2]))
            queries.append((2, piece, i, a, gold(statement["by"], 1) if "by" in statement else [len(candidates) + 2]))
            marked = [OUTSIDE] * len(line.words)
            for x, y, entity in statement.get("references", []):
                span = line.at(x, y)
                if span is None:
                    continue
                marked[span[0]:span[1]] = [BEGIN] + [INSIDE] * (span[1] - span[0] - 1)
                queries.append((0, firsts[i, span[0]], i, span[0], gold(entity, 1)))
            references.extend((firsts[i, k], marked[k]) for k in range(a, b))
        for span, right in line.judged:
            found = line.at(*span)
            if found and (i, found[1] - 1) in firsts:
                judged.append(([firsts[i, k] for k in range(*found)], float(right)))
        tags.extend((firsts[i, k], value) for k, value in enumerate(tag) if (i, k) in firsts)
    return {"ids": ids, "types": types, "talk": talk, "tags": tags, "references": references, "statuses": statuses, "judged": judged,
            "candidates": candidates, "marks": marks, "firsts": firsts, "chunk": chunk,
            "lines": (start, core, end)} | pointers(lines, candidates, queries)


if __name__ == "__main__":
    import sys

    from tokenizers import Tokenizer

    corpus = Corpus(sys.argv[1])
    pieces = Pieces(Tokenizer.from_file(sys.argv[3]))
    everything = chunks(corpus, sys.argv[2], set(name[:6] for name in corpus.lines))
    made = [w for chunk in everything for w in windows(chunk, pieces)]
    print(len(everything), "chunks", len(made), "windows", sum(len(w["ids"]) for w in made), "pieces",
          sum(len(w["statuses"]) for w in made), "statements", sum(len(w["talk"]) for w in made), "lines")
    print(max(len(w["ids"]) for w in made), "longest")
    kinds = [[0, 0, 0, 0, 0] for _ in KINDS]
    for w in made:
        for kind, _, _, _, gold in w["queries"]:
            n = len(w["candidates"])
            kinds[kind][0 if gold[0] < n else 1 + gold[0] - n] += 1
    print("named, party, other, own:", dict(zip(KINDS, kinds)))
