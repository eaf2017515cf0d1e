"""Fits the calibration of statements: see README.md.

Reads the statements that `hearsay_eval --json statements TEXT --on development --list` prints, and writes `calibration.json`.
"""

import json
import sys

import numpy as np


# Strength of the penalty, chosen by cross-validation over the development episodes.
PENALTY = 30.0


def fit(rows, penalty=PENALTY):
    """Logistic regression by Newton's method, with a quadratic penalty on standardised weights."""
    x = np.array([row["features"] for row in rows], dtype=float)
    y = np.array([row["right"] for row in rows], dtype=float)
    mean, scale = x.mean(0), x.std(0) + 1e-6
    z = np.hstack([np.ones((len(x), 1)), (x - mean) / scale])
    ridge = np.diag([0.0] + [penalty] * x.shape[1])
    w = np.zeros(z.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-z @ w))
        gradient = z.T @ (p - y) + ridge @ w
        w -= np.linalg.solve(z.T @ (z * (p * (1 - p))[:, None]) + ridge + 1e-6 * np.eye(len(w)), gradient)
    weights = w[1:] / scale
    return {"bias": round(float(w[0] - weights @ mean), 4), "weights": [round(float(v), 4) for v in weights]}, 1 / (1 + np.exp(-z @ w)), y


def main(found, out):
    with open(found, encoding="utf-8") as file:
        rows = [row for row in map(json.loads, file) if "features" in row]
    parts = {}
    for name, written in (("written", True), ("spoken", False)):
        part = [row for row in rows if row["written"] == written]
        parts[name], p, y = fit(part)
        order = np.argsort(-p)
        print(name, len(part), "statements,", int(y.sum()), "right;", "right among the surest:",
              {k: round(float(y[order[:k]].mean()), 2) for k in (20, 50, 100, 200, 400) if k <= len(part)})
    with open(out, "w", encoding="utf-8") as file:
        json.dump(parts, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
