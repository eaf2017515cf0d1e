"""Compares the labels of two annotators on the same passages."""

import json
import os
import sys

from data import TALK
from text import normal, same


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return {label["line"]: label for label in map(json.loads, file)}


def overlap(one, other):
    both = min(one[1], other[1]) - max(one[0], other[0])
    return max(0, both) / (max(one[1], other[1]) - min(one[0], other[0]))


def main(first, second):
    lines = talk = 0
    table = [[0] * 3 for _ in TALK]
    counts, matched, status, references, agreed, exact = [0, 0], 0, 0, 0, 0, 0
    for name in sorted(os.listdir(second)):
        one, other = read(first, name), read(second, name)
        for line in other:
            a, b = one[line], other[line]
            lines += 1
            talk += a["talk"] == b["talk"]
            table[TALK.index(a["talk"])][TALK.index(b["talk"])] += 1
            left = list(b.get("statements", []))
            counts[0] += len(a.get("statements", []))
            counts[1] += len(left)
            for statement in a.get("statements", []):
                best = max(left, key=lambda s: overlap(s["span"], statement["span"]), default=None)
                if best is None or overlap(best["span"], statement["span"]) < 0.5:
                    continue
                left.remove(best)
                matched += 1
                exact += best["span"] == statement["span"]
                status += best["status"] == statement["status"]
                theirs = {(x, y): entity for x, y, entity in best.get("references", [])}
                for x, y, entity in statement.get("references", []):
                    if (x, y) in theirs:
                        references += 1
                        agreed += same(normal(entity), normal(theirs[x, y]))
    print(f"passages {lines}, same kind of talk {talk / lines:.2f}", table)
    print(f"statements {counts[0]} and {counts[1]}, matched {matched}: F1 {2 * matched / sum(counts):.2f}; same span {exact / matched:.2f}")
    print(f"same status {status / matched:.2f}; references in both {references}, same meaning {agreed / references:.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
