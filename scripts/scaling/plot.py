#!/usr/bin/env python3
"""Draws the lines of JSON that measure.py wrote, and fits power laws to them.

  scripts/scaling/plot.py docs/experiments/scaling.jsonl --svg docs/experiments/scaling.svg

Prints, for each track and size, the error of the raw network by the processor seconds that the training took, the
exponents of a power law between neighbouring points and through all of them, and what simulations bring. Error: the share
of positions, in percent, in which the chosen move loses value; the mean of the seeds.
"""

import argparse
import collections
import json
import math
import pathlib
import random

from shared import pyplot

SIZES = ("16x1", "16x3", "32x3", "64x3")
COLOURS = dict(zip(SIZES, ("#0072b2", "#009e73", "#d55e00", "#6a3d9a")))
TRACKS = {"labels": "exact labels", "selfplay": "self-play"}
SUITES = ("decisive", "deep")
# Microseconds of a core for an evaluation, boards with 5 to 14 pieces: the means of
# `quartozero bench kernel pairs:16x1 pairs:16x3 pairs:32x3 pairs:64x3` on the machine that the page names.
EVALUATION = dict(zip(SIZES, (10.2, 13.6, 25.5, 72.7)))
DRAWS = 2000  # of an interval


def mean(values):
    return sum(values) / len(values)


class Point:
    """All seeds of a level: the processor seconds of training, the errors, half of the 95% interval by the suite's positions."""

    def __init__(self, runs):
        self.cost = mean([run["processor_seconds"] for run, _ in runs])
        self.errors = [100 - a["agreement"] for _, a in runs]
        self.error = mean(self.errors)
        # The seeds are measured on the same positions, so their mean has the interval of one of them.
        self.half_interval = mean([a["half_interval"] for _, a in runs])


def curves(rows):
    """Points by suite, track, size and simulations, in order of cost."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in rows:
        for a in row["agreement"]:
            found[a["suite"], row["track"], row["size"], a["sims"]][row["seconds"]].append((row, a))
    return {key: {seconds: Point(levels[seconds]) for seconds in sorted(levels)} for key, levels in found.items()}


def exponent(costs, errors):
    """Of error = c * cost ** exponent, by least squares of logarithms."""
    xs, ys = [math.log(c) for c in costs], [math.log(e) for e in errors]
    mx, my = mean(xs), mean(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)


def interval(points, spread):
    """About 95% of the exponents when each error is drawn anew, by its positions and by the spread between seeds. Levels are
    measured on the same positions, and the spread contains some of what positions do, so the interval is rather too wide."""
    rng = random.Random(1)
    found = []
    for _ in range(DRAWS):
        factors = [math.hypot(p.half_interval / 1.96 / p.error, spread / math.sqrt(len(p.errors))) for p in points]
        errors = [p.error * math.exp(rng.gauss(0, f)) for p, f in zip(points, factors)]
        found.append(exponent([p.cost for p in points], errors))
    found.sort()
    return found[DRAWS * 25 // 1000], found[DRAWS * 975 // 1000]


def spread_of_seeds(found, suite, sims=0):
    """The relative standard deviation of one seed's error about the mean of its level, over all levels that have several
    seeds; None without one."""
    squares, freedom = 0.0, 0
    for (s, _, _, n), levels in found.items():
        if (s, n) != (suite, sims):
            continue
        for point in levels.values():
            logs = [math.log(e) for e in point.errors]
            squares += sum((x - mean(logs)) ** 2 for x in logs)
            freedom += len(logs) - 1
    return math.sqrt(squares / freedom) if freedom else None


def tell(found):
    for suite in SUITES:
        spread = spread_of_seeds(found, suite)
        known = "not known: one seed" if spread is None else f"{100 * spread:.0f}% of the error"
        print(f"\n{suite}: standard deviation between seeds, raw network: {known}")
        for track, name in TRACKS.items():
            print(f"{suite}, {name}: error of the raw network @ processor seconds, exponents between; the exponent of all points")
            for size in SIZES:
                points = list(found.get((suite, track, size, 0), {}).values())
                text = ""
                for before, p in zip([None] + points, points):
                    if before:
                        text += f"  ({exponent([before.cost, p.cost], [before.error, p.error]):+.2f})"
                    text += f"  {p.error:.1f} @ {p.cost:.0f}"
                if len(points) > 2 and spread is not None:
                    low, high = interval(points, spread)
                    text += f"; {exponent([p.cost for p in points], [p.error for p in points]):+.3f} [{low:+.3f}, {high:+.3f}]"
                if text:
                    print(f"  {size}{text}")
            print(f"{suite}, {name}: error with N simulations, K = 0, at the longest training; exponents of N between in brackets")
            for size in SIZES:
                levels = found.get((suite, track, size, 0), {})
                if not levels:
                    continue
                seconds = max(levels)
                text, before = "", None
                for n in sorted(n for s, t, z, n in found if (s, t, z) == (suite, track, size)):
                    e = found[suite, track, size, n][seconds].error
                    if before and before[0] > 0:
                        text += f"  ({exponent([before[0], n], [before[1], e]):+.2f})"
                    text += f"  @{n}: {e:.1f}"
                    before = n, e
                print(f"  {size}, {seconds} s{text}")


def label(ax, title, x):
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter("{x:g}")
    ax.set_title(title)
    ax.set_xlabel(x)
    ax.set_ylabel("error, percent")
    ax.grid(True, which="both", alpha=0.25)


def draw_training(ax, found, suite, track):
    for size in SIZES:
        for sims, style in ((0, "-"), (32, ":")):
            points = list(found.get((suite, track, size, sims), {}).values())
            if not points:
                continue
            name = "policy" if sims == 0 else f"@{sims}"
            ax.plot([p.cost for p in points], [p.error for p in points], style, color=COLOURS[size], label=f"{size}, {name}")
            for p in points:
                ax.plot([p.cost] * len(p.errors), p.errors, ".", color=COLOURS[size], markersize=4)
                if sims == 0:
                    ax.errorbar([p.cost], [p.error], yerr=[p.half_interval], color=COLOURS[size], alpha=0.35, capsize=2)
    label(ax, f"{suite}, {TRACKS[track]}", "training, processor seconds")


def draw_inference(ax, found, track):
    levels = [set(found.get(("deep", track, size, 0), {})) for size in SIZES]
    common = set.intersection(*levels)
    if not common:
        ax.set_title(f"deep, {TRACKS[track]}: no training that all sizes have")
        return
    seconds = max(common)
    for size in SIZES:
        counts = sorted(n for s, t, z, n in found if (s, t, z) == ("deep", track, size))
        ax.plot(
            [EVALUATION[size] * max(n, 1) for n in counts],
            [found["deep", track, size, n][seconds].error for n in counts],
            "o-",
            color=COLOURS[size],
            markersize=4,
            label=f"{size}: policy, {', '.join(f'@{n}' for n in counts if n)}",
        )
    label(ax, f"deep, {TRACKS[track]}, {seconds} s of training", "evaluations of a move, processor microseconds")
    ax.legend(fontsize=8)


def draw(found, svg):
    figure, axes = pyplot().subplots(3, 2, figsize=(10, 12), constrained_layout=True)
    for row, track in enumerate(TRACKS):
        for column, suite in enumerate(SUITES):
            draw_training(axes[row][column], found, suite, track)
        draw_inference(axes[2][row], found, track)
    axes[0][1].legend(fontsize=8, ncol=2)
    figure.savefig(svg, metadata={"Date": None})


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("data", type=pathlib.Path)
    p.add_argument("--svg", type=pathlib.Path)
    o = p.parse_args()
    rows = [json.loads(line) for line in o.data.read_text().splitlines()]
    found = curves(rows)
    tell(found)
    if o.svg:
        draw(found, o.svg)


if __name__ == "__main__":
    main()
