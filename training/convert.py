"""Turns annotators' label lines, which quote the text, into label files that contain offsets and no text."""

import json
import os
import re
import sys

from text import Corpus


def find(text, words, count=1):
    at = -1
    for _ in range(count):
        match = re.compile(r"(?<![A-Za-z])" + re.escape(words) + r"(?![A-Za-z])").search(text, at + 1)
        if match is None:
            raise ValueError(f"{words!r} is not in {text!r}")
        at = match.start()
    return [at, at + len(words)]


def statement(text, label):
    span = find(text, label["q"], label.get("n", 1))
    converted = {"span": span, "status": label["st"]}
    for field, name in (("subj", "subject"), ("by", "by")):
        if label.get(field):
            converted[name] = label[field]
    references = []
    for key, entity in label.get("r", {}).items():
        words, _, count = key.partition("#")
        start, end = find(label["q"], words, int(count or 1))
        references.append([span[0] + start, span[0] + end, entity])
    if references:
        converted["references"] = sorted(references)
    if label.get("t"):
        converted["typed"] = label["t"]
    return converted


def main(corpus_folder, labels_folder, out_folder):
    corpus = Corpus(corpus_folder)
    os.makedirs(out_folder, exist_ok=True)
    for name in sorted(os.listdir(labels_folder)):
        episode = os.path.splitext(name)[0][:7]
        lines = corpus.lines[episode]
        with open(os.path.join(labels_folder, name), encoding="utf-8") as file, \
                open(os.path.join(out_folder, name), "w", encoding="utf-8") as out:
            for label in map(json.loads, filter(str.strip, file)):
                statements = [statement(lines[label["id"]], s) for s in label.get("s", [])]
                converted = {"line": label["id"], "talk": label["talk"]}
                if statements:
                    converted["statements"] = statements
                out.write(json.dumps(converted, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
