#!/usr/bin/env python3
"""Draws the lines of JSON that measure.py wrote, and fits power laws to them.

  scripts/scaling/plot.py docs/experiments/scaling.jsonl --svg docs/experiments/scaling.svg

Prints, for each track and size, the slope of log(error) against log(processor seconds) between neighbouring levels, and
what simulations bring. Error: the share of positions, in percent, in which the chosen move loses value.
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


def draw(rows, svg):
    figure, axes = plt.subplots(2, 2, figsize=(10, 8), constrained_layout=True)
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
            ax.set_xscale("log")
            ax.set_yscale("log")
            ax.yaxis.set_major_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
            ax.yaxis.set_minor_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
            ax.set_title(f"{suite}, {TRACKS[track]}")
            ax.set_xlabel("training, processor seconds")
            ax.set_ylabel("error, percent")
            ax.grid(True, which="both", alpha=0.25)
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
