#!/usr/bin/env python3
"""Draws the lines of JSON that measure.py wrote, and fits power laws to them.

  scripts/scaling/plot.py docs/experiments/scaling.jsonl --svg docs/experiments/scaling.svg

Prints, for each track and size, the error of the raw network by the processor seconds that the training took, the
exponent of a power law through these points with an interval, how well it fits with and without a floor, and what
simulations bring. Error: the share of positions, in percent, in which the chosen move loses value; the mean of the seeds.
"""

import argparse
import collections
import json
import math
import pathlib
import random
import sys

try:
    import matplotlib
    import matplotlib.ticker

    matplotlib.use("svg")
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("error: matplotlib is missing: apt-get install python3-matplotlib, or pip install matplotlib")

matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text: a smaller file
matplotlib.rcParams["svg.hashsalt"] = "quartozero"  # the same file every time

SIZES = ("16x1", "16x3", "32x3", "64x3")
COLOURS = dict(zip(SIZES, ("#0072b2", "#009e73", "#d55e00", "#6a3d9a")))
TRACKS = {"labels": "exact labels", "selfplay": "self-play"}
SUITES = ("decisive", "deep")
# Microseconds of a core for an evaluation, boards with 5 to 14 pieces: the means of
# `quartozero bench kernel pairs:16x1x4 pairs:16x3x4 pairs:32x3x4 pairs:64x3x4` on the machine that the page names.
EVALUATION = dict(zip(SIZES, (10.2, 13.6, 25.5, 72.7)))
DRAWS = 2000  # of an interval


def mean(values):
    return sum(values) / len(values)


class Point:
    """All seeds of a level: the cost of training, the error, and its standard error by the positions of the suite."""

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


def power_law(costs, errors, floor=0.0):
    """The exponent of error = floor + c * cost ** exponent by least squares of logarithms, and the deviation from it."""
    xs, ys = [math.log(c) for c in costs], [math.log(e - floor) for e in errors]
    mx, my = mean(xs), mean(ys)
    exponent = sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)
    fitted = [floor + math.exp(my + exponent * (x - mx)) for x in xs]
    return exponent, math.sqrt(mean([math.log(e / f) ** 2 for e, f in zip(errors, fitted)]))


def with_floor(costs, errors):
    """The floor, to a tenth of a point, whose power law deviates least; that law's exponent and deviation."""
    floors = [f / 10 for f in range(math.ceil(10 * min(errors)))]
    floor = min(floors, key=lambda f: power_law(costs, errors, f)[1])
    return floor, *power_law(costs, errors, floor)


def interval(costs, points, spread, fit):
    """The middle 95% of fit(costs, errors) when each error is drawn anew with its standard error and that of its seeds."""
    rng = random.Random(1)
    found = []
    for _ in range(DRAWS):
        errors = [
            max(0.1, p.error + rng.gauss(0, math.hypot(p.half_interval / 1.96, spread / math.sqrt(len(p.errors))))) for p in points
        ]
        found.append(fit(costs, errors))
    found.sort()
    return found[DRAWS * 25 // 1000], found[DRAWS * 975 // 1000]


def spread_of_seeds(found, suite, sims=0):
    """The standard deviation of one seed's error about the mean of its level, over all levels that have several seeds."""
    squares, freedom = 0.0, 0
    for (s, _, _, n), levels in found.items():
        if (s, n) != (suite, sims):
            continue
        for point in levels.values():
            squares += sum((e - point.error) ** 2 for e in point.errors)
            freedom += len(point.errors) - 1
    return math.sqrt(squares / freedom) if freedom else 0.0


def tell(found):
    for suite in SUITES:
        spread = spread_of_seeds(found, suite)
        print(f"\n{suite}: standard deviation between seeds, raw network: {spread:.2f} points")
        for track, name in TRACKS.items():
            print(f"{suite}, {name}: error of the raw network @ processor seconds; a power law's exponent [95%], its deviation; with a floor")
            for size in SIZES:
                points = list(found.get((suite, track, size, 0), {}).values())
                if not points:
                    continue
                text = "  ".join(f"{p.error:.1f} @ {p.cost:.0f}" for p in points)
                if len(points) > 2:
                    costs, errors = [p.cost for p in points], [p.error for p in points]
                    exponent, off = power_law(costs, errors)
                    low, high = interval(costs, points, spread, lambda c, e: power_law(c, e)[0])
                    text += f"  exponent {exponent:+.3f} [{low:+.3f}, {high:+.3f}], {100 * off:.1f}%"
                if len(points) > 3:
                    floor, exponent, off = with_floor(costs, errors)
                    low, high = interval(costs, points, spread, lambda c, e: with_floor(c, e)[0])
                    text += f"; floor {floor:.1f} [{low:.1f}, {high:.1f}]: {exponent:+.2f}, {100 * off:.1f}%"
                print(f"  {size}  {text}")
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
                        text += f"  ({math.log(e / before[1]) / math.log(n / before[0]):+.2f})"
                    text += f"  @{n}: {e:.1f}"
                    before = n, e
                print(f"  {size}, {seconds} s{text}")


def label(ax, title, x):
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
    ax.yaxis.set_minor_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
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
    figure, axes = plt.subplots(3, 2, figsize=(10, 12), constrained_layout=True)
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
    if len({row.get("placements") for row in rows}) > 1:
        sys.exit(f"error: {o.data} has runs with different numbers of placements")
    found = curves(rows)
    tell(found)
    if o.svg:
        draw(found, o.svg)


if __name__ == "__main__":
    main()
