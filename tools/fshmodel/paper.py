# SPDX-License-Identifier: BSD-3-Clause
"""The smart NIC paper's figures from its own equations, with unstated parameters fitted.

Each figure is an interval, since it is rounded: 2.5 is 2.45 to 2.55. A deviation is the
model's distance from the interval.
"""
import copy
import itertools

from . import training

# name: (interval, what)
PRINTED = {
    "448, 6: total with FP32 / baseline": (0.815, 0.825),
    "448, 6: total with BFP / baseline": (0.595, 0.605),
    "448, 6: exposed with FP32 / baseline": (0.625, 0.635),
    "448, 6: exposed with BFP / baseline": (0.045, 0.055),
    "448, 6: backward with FP32 / baseline": (0.895, 0.905),
    "448, 32: gain with BFP": (2.45, 2.55),
    "448, 32: gain with FP32": (1.75, 1.85),
    "1792, 6: gain with BFP": (1.05, 1.15),
    "1792, 32: gain with BFP": (1.35, 1.45),
    "1792, 6: naive, exposed / total": (0.505, 0.515),
    "1792, 6: naive / overlapped": (1.845, 1.855),
    "1792, 6: backward overlapped / naive": (1.105, 1.115),
}
# Of the total of a system: an exposed part of 5 % of a part is not seen on its own.
SMALL = {"448, 6: exposed with BFP / baseline"}


def figures(system):
    b6 = training.baseline(system, 448, 6)
    b32 = training.baseline(system, 448, 32)
    f6, f32 = (training.predict(system, "fp32", 448, n)[0] for n in (6, 32))
    c6, c32 = (training.predict(system, "bfp16", 448, n)[0] for n in (6, 32))
    big6 = training.baseline(system, 1792, 6)
    big32 = training.baseline(system, 1792, 32)
    naive = training.baseline(system, 1792, 6, overlap=False)
    d6, d32 = (training.predict(system, "bfp16", 1792, n)[0] for n in (6, 32))
    exposed = b6.allreduce_exposed
    return dict(zip(PRINTED, (
        f6.total / b6.total, c6.total / b6.total,
        f6.allreduce_exposed / exposed if exposed else 9.9,
        c6.allreduce_exposed / exposed if exposed else 9.9,
        f6.backward / b6.backward, b32.total / c32.total, b32.total / f32.total,
        big6.total / d6.total, big32.total / d32.total,
        naive.allreduce_exposed / naive.total, naive.total / big6.total,
        big6.backward / naive.backward)))


def deviation(name, value):
    low, high = PRINTED[name]
    edge = min(max(value, low), high)
    return value - edge if name in SMALL else value / edge - 1


def cost(system):
    return sum(deviation(n, v) ** 2 for n, v in figures(system).items())


def fit(system):
    """Fits the unknowns of [fitted] by coordinate search from the values in the file."""
    best = copy.deepcopy(system)
    at = cost(best)
    for scale in (0.3, 0.1, 0.03, 0.01, 0.003, 0.001):
        moved = True
        while moved:
            moved = False
            for name, sign in itertools.product(best["fitted"], (1, -1)):
                trial = copy.deepcopy(best)
                if name == "reducing_448":
                    trial["fitted"][name] += sign
                    if not 1 <= trial["fitted"][name] < trial["baseline"]["cores"]:
                        continue
                else:
                    trial["fitted"][name] *= 1 + sign * scale
                now = cost(trial)
                if now < at - 1e-12:
                    best, at, moved = trial, now, True
    return best
