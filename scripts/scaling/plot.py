#!/usr/bin/env python3
"""Draws the lines of JSON that measure.py wrote, and fits power laws to them.

  scripts/scaling/plot.py docs/experiments/scaling.jsonl --svg docs/experiments/scaling.svg

Prints, for each track and size, the slope of log(error) against log(processor seconds) between neighbouring levels, how
well a power law fits with and without a floor, and what simulations bring. Error: the share of positions, in percent, in
which the chosen move loses value.
"""

import argparse
import collections
import json
import math
import pathlib
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
# Microseconds of a core for an evaluation, boards with 5 to 14 pieces: the means of
# `quartozero bench kernel pairs:16x1x4 pairs:16x3x4 pairs:32x3x4 pairs:64x3x4` on the machine that the page names.
EVALUATION = dict(zip(SIZES, (10.2, 13.6, 25.5, 72.7)))


def errors(rows, suite):
    """By track, size, simulations and seconds: the errors of all seeds."""
    found = collections.defaultdict(list)
    for row in rows:
        for a in row["agreement"]:
            if a["suite"] == suite:
                found[row["track"], row["size"], a["sims"], row["seconds"]].append(100 - a["agreement"])
    return found


def mean(values):
    return sum(values) / len(values)


def slope(x0, y0, x1, y1):
    return (math.log(y1) - math.log(y0)) / (math.log(x1) - math.log(x0))


def line(xs, ys):
    """Intercept, slope and root mean square error of the least squares line."""
    mx, my = mean(xs), mean(ys)
    b = sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)
    a = my - b * mx
    return a, b, math.sqrt(mean([(y - a - b * x) ** 2 for x, y in zip(xs, ys)]))


def power_law(seconds, values, floor=0.0):
    """The exponent of error = floor + c * seconds ** exponent, and the typical relative deviation of the error from it."""
    a, b, _ = line([math.log(s) for s in seconds], [math.log(v - floor) for v in values])
    fitted = [floor + math.exp(a) * s**b for s in seconds]
    return b, math.sqrt(mean([math.log(v / f) ** 2 for v, f in zip(values, fitted)]))


def power_law_with_floor(seconds, values):
    """The floor that fits best, to a tenth of a point, and power_law() with it."""
    floors = [f / 10 for f in range(int(10 * min(values)))]
    floor = min(floors, key=lambda f: power_law(seconds, values, f)[1])
    return floor, *power_law(seconds, values, floor)


def seconds_of(found, track, size, sims):
    return sorted(s for t, z, n, s in found if (t, z, n) == (track, size, sims))


def tell(rows):
    for suite in ("decisive", "deep"):
        found = errors(rows, suite)
        for track in TRACKS:
            print(f"\n{suite}, {TRACKS[track]}: error of the raw network by processor seconds, mean of seeds; slopes between")
            for size in SIZES:
                text = ""
                levels = seconds_of(found, track, size, 0)
                for before, s in zip([None] + levels, levels):
                    e = mean(found[track, size, 0, s])
                    if before:
                        text += f"  ({slope(before, mean(found[track, size, 0, before]), s, e):+.2f})"
                    text += f"  {s}: {e:.1f}"
                if text:
                    print(f"  {size}{text}")
            print(f"{suite}, {TRACKS[track]}: error = c * seconds ** exponent, with and without a floor; relative deviation in brackets")
            for size in SIZES:
                levels = seconds_of(found, track, size, 0)
                if len(levels) < 4:
                    continue
                values = [mean(found[track, size, 0, s]) for s in levels]
                plain, off = power_law(levels, values)
                floor, exponent, less_off = power_law_with_floor(levels, values)
                print(f"  {size}  {plain:+.2f} ({100 * off:.0f}%)  floor {floor:.1f}: {exponent:+.2f} ({100 * less_off:.0f}%)")
            print(f"{suite}, {TRACKS[track]}: error with N simulations, K = 0, at the longest training; slope per doubling in brackets")
            for size in SIZES:
                text = ""
                levels = seconds_of(found, track, size, 0)
                if not levels:
                    continue
                s = levels[-1]
                counts = sorted(n for t, z, n, x in found if (t, z, x) == (track, size, s))
                for before, n in zip([None] + counts, counts):
                    e = mean(found[track, size, n, s])
                    if before:
                        text += f"  ({math.log2(e / mean(found[track, size, before, s])) / math.log2(n / before):+.2f})"
                    text += f"  @{n}: {e:.1f}"
                print(f"  {size}, {s} s{text}")


def label(ax, title, x):
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
    ax.yaxis.set_minor_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
    ax.set_title(title)
    ax.set_xlabel(x)
    ax.set_ylabel("error, percent")
    ax.grid(True, which="both", alpha=0.25)


def draw(rows, svg):
    figure, axes = plt.subplots(3, 2, figsize=(10, 12), constrained_layout=True)
    for row, track in enumerate(TRACKS):
        for column, suite in enumerate(("decisive", "deep")):
            found = errors(rows, suite)
            ax = axes[row][column]
            for size in SIZES:
                for sims, style in ((0, "-"), (32, ":")):
                    levels = seconds_of(found, track, size, sims)
                    if not levels:
                        continue
                    ax.plot(
                        levels,
                        [mean(found[track, size, sims, s]) for s in levels],
                        style,
                        color=COLOURS[size],
                        label=f"{size}, {'policy' if sims == 0 else f'@{sims}'}",
                    )
                    for s in levels:
                        ax.plot([s] * len(found[track, size, sims, s]), found[track, size, sims, s], ".", color=COLOURS[size], markersize=4)
            label(ax, f"{suite}, {TRACKS[track]}", "training, processor seconds")
    for column, track in enumerate(TRACKS):
        found = errors(rows, "deep")
        ax = axes[2][column]
        common = set.intersection(*({s for t, z, n, s in found if (t, z) == (track, size)} for size in SIZES))
        if not common:
            continue
        seconds = max(common)
        for size in SIZES:
            counts = sorted(n for t, z, n, s in found if (t, z, s) == (track, size, seconds))
            ax.plot(
                [EVALUATION[size] * max(n, 1) for n in counts],
                [mean(found[track, size, n, seconds]) for n in counts],
                "o-",
                color=COLOURS[size],
                markersize=4,
                label=f"{size}: policy, {', '.join(f'@{n}' for n in counts if n)}",
            )
        label(ax, f"deep, {TRACKS[track]}, {seconds} s of training", "evaluations of a move, processor microseconds")
        ax.legend(fontsize=8)
    axes[0][1].legend(fontsize=8, ncol=2)
    figure.savefig(svg, metadata={"Date": None})


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("data", type=pathlib.Path)
    p.add_argument("--svg", type=pathlib.Path)
    o = p.parse_args()
    rows = [json.loads(line) for line in o.data.read_text().splitlines()]
    tell(rows)
    if o.svg:
        draw(rows, o.svg)


if __name__ == "__main__":
    main()
