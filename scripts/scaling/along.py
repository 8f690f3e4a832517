#!/usr/bin/env python3
"""Agreement along one training run: measures every archived checkpoint, writes a line of JSON for each, and draws the curve.

  scripts/scaling/along.py runs/night --quartozero build/quartozero --data curve.jsonl --svg curve.svg

The run needs checkpoints to measure: `train --set limits.archive_every=20`. Checkpoints that are in --data are passed over, so the
same command goes on while the run does. A line has the iteration, the checkpoint (the first digits of the weights' SHA-256), games,
evaluations and learning steps until then, the seconds that the run has spent, the learning rate, agreement with exact play on all
positions of the suites (without a search and with --simulations, no proofs, by suite with half of the 95% interval), and the losing lines of
endgame:E:net:CHECKPOINT for each E of --exact. Without --svg nothing is drawn; with --draw-only nothing is measured, and RUN need not
exist. --trend-from GAMES fits a line to the agreement from there on, by least squares with equal weights: all checkpoints are measured on the
same positions, so their changes are smaller than the intervals of the suites, and its standard error takes them as independent of each other.
"""

import argparse
import hashlib
import itertools
import json
import os
import pathlib
import re
import sys

from measure import means
from shared import fail, json_of, pyplot


def progress(run):
    """By iteration: what the run had done."""
    found, evaluations = {}, 0
    with open(run / "metrics.jsonl") as file:
        for line in file:
            try:
                m = json.loads(line)
            except json.JSONDecodeError:  # the last one of a run in progress
                continue
            if "lr" not in m or "games" not in m:  # iteration 0 is measured before anything is played
                continue
            evaluations += m["evaluations_per_s"] * m["self_play_seconds"]
            found[m["iteration"]] = {
                "iteration": m["iteration"],
                "games": m["games"],
                "evaluations": round(evaluations),
                "steps": m["step"],
                "seconds": round(m["seconds"]),
                "learning_rate": m["lr"],
            }
    return found


def digest(checkpoint):
    return hashlib.sha256((checkpoint / "model.safetensors").read_bytes()).hexdigest()[:12]


def rules_of(checkpoint):
    found = re.search(r"^ +rules: (\w+)", (checkpoint / "config.yaml").read_text(), re.MULTILINE)
    return found[1] if found else "lines"


def measure(o, checkpoint):
    command = [o.quartozero, "eval", str(checkpoint), "--simulations", o.sims, "--search", "proof_nodes=0", "--no-baselines"]
    row = {"checkpoint": digest(checkpoint), "agreement": means(json_of([*command, "--threads", str(o.threads)])[0])}
    row["losing_lines"] = {}
    for squares in o.exact:
        player = f"endgame:{squares}:net:{checkpoint}"
        walk, _ = json_of([o.quartozero, "exploit", player, "--rules", rules_of(checkpoint), "--threads", str(o.threads)])
        row["losing_lines"][str(squares)] = walk["losing_lines"]
    return row


def rows_of(o):
    """The lines of --data. They have to be of the same measurements."""
    rows = []
    if not o.data.exists():
        return rows
    for number, line in enumerate(o.data.read_text().splitlines(), 1):
        try:
            row = json.loads(line)
            of = {a["sims"] for a in row["agreement"]}, set(row["losing_lines"])
            row["iteration"], row["checkpoint"], row["games"], row["seconds"]
        except (json.JSONDecodeError, KeyError, TypeError):
            fail(f"{o.data}:{number}: no line of this script")
        if of != ({int(n) for n in o.sims.split(",")}, {str(e) for e in o.exact}):
            fail(f"{o.data}:{number}: measured with another --simulations or --exact: name these, or another --data")
        rows.append(row)
    return rows


def write(o, rows):
    """The whole file or none of it."""
    new = o.data.with_name(o.data.name + ".tmp")
    with open(new, "w") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)
        out.flush()
        os.fsync(out.fileno())
    os.replace(new, o.data)


def measure_missing(o, rows):
    archive = o.run / "archive"
    if not o.run.is_dir():
        fail(f"{o.run} does not exist: name the directory of a run")
    if not archive.is_dir():
        fail(f"{archive} does not exist: train with --set limits.archive_every=20 to keep checkpoints to measure")
    if not o.data.absolute().parent.is_dir():
        fail(f"the folder of {o.data} does not exist")
    done = progress(o.run)
    names = sorted(path.name for path in archive.iterdir() if path.name.startswith("iteration-") and path.name[10:].isdigit())
    unknown = [name for name in names if int(name[10:]) not in done]
    if unknown:
        fail(f"{o.run / 'metrics.jsonl'} does not say how many games {unknown[0]} had: this needs a run of self-play")
    measured = {row["iteration"]: row["checkpoint"] for row in rows}
    for name in names:
        if measured.get(int(name[10:]), "") not in ("", digest(archive / name)):
            fail(f"{o.data} has other weights for {name}: it is of another run; name another --data")
    wanted = [name for name in names if int(name[10:]) not in measured]
    for i, name in enumerate(wanted):
        print(f"{i + 1} of {len(wanted)}: {name}", flush=True)
        rows.append(done[int(name[10:])] | measure(o, archive / name))
        rows.sort(key=lambda row: row["games"])
        write(o, rows)


def trend(points):
    """Least squares: the slope and its standard error."""
    n = len(points)
    x0, y0 = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    spread = sum((x - x0) ** 2 for x, _ in points)
    slope = sum((x - x0) * (y - y0) for x, y in points) / spread
    rest = sum((y - y0 - slope * (x - x0)) ** 2 for x, y in points)
    return slope, (rest / (n - 2) / spread) ** 0.5


def print_trends(rows, first):
    rows = [row for row in rows if row["games"] >= first]
    if len(rows) < 3:
        fail(f"--trend-from {first}: {len(rows)} checkpoints from there on, and a trend needs three")
    print(f"from {first / 1000:.0f} thousand games on, {len(rows)} checkpoints, points per million games with the standard error:")
    for suite, sims in sorted({(a["suite"], a["sims"]) for a in rows[0]["agreement"]}):
        points = [(r["games"] / 1e6, a["agreement"]) for r in rows for a in r["agreement"] if (a["suite"], a["sims"]) == (suite, sims)]
        slope, error = trend(points)
        low, high = min(y for _, y in points), max(y for _, y in points)
        print(f"  {suite}@{sims} {slope:+.2f} ({error:.2f}), {low:.1f} to {high:.1f}")


ABSCISSAE = {
    "games": ("games of self-play, thousand", lambda row: row["games"] / 1000),
    "evaluations": ("evaluations of the network, million", lambda row: row["evaluations"] / 1e6),
    "hours": ("hours of the run", lambda row: row["seconds"] / 3600),
}


def draw(rows, svg, against):
    axes_of = {}
    for a in rows[0]["agreement"]:
        axes_of.setdefault(a["suite"], len(axes_of))
    size = (5.2 * len(axes_of), 3.6 * len(against))
    figure, axes = pyplot().subplots(len(against), len(axes_of), figsize=size, squeeze=False)
    for (suite, at), (down, abscissa) in itertools.product(axes_of.items(), enumerate(against)):
        ax = axes[down][at]
        label, of = ABSCISSAE[abscissa]
        for sims in sorted({a["sims"] for a in rows[0]["agreement"]}):
            points = [(of(r), a) for r in rows for a in r["agreement"] if (a["suite"], a["sims"]) == (suite, sims)]
            x, y = [g for g, _ in points], [a["agreement"] for _, a in points]
            half = [a["half_interval"] for _, a in points]
            (line,) = ax.plot(x, y, marker=".", linewidth=1, label=f"{sims} simulations" if sims else "no search")
            ax.fill_between(x, [v - h for v, h in zip(y, half)], [v + h for v, h in zip(y, half)], color=line.get_color(), alpha=0.15)
        ax.set(title=suite, xlabel=label, ylabel="agreement, percent")
        ax.grid(alpha=0.3)
        ax.legend(loc="lower right", fontsize="small")
    figure.tight_layout()
    figure.savefig(svg, metadata={"Date": None})


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("run", type=pathlib.Path, metavar="RUN")
    p.add_argument("--quartozero", default="build/quartozero")
    p.add_argument("--data", type=pathlib.Path, required=True, metavar="FILE")
    p.add_argument("--svg", type=pathlib.Path, metavar="FILE")
    p.add_argument("--against", nargs="+", choices=list(ABSCISSAE), default=["games"], help="a row of plots for each (default: games)")
    p.add_argument("--trend-from", type=int, metavar="GAMES")
    p.add_argument("--draw-only", action="store_true")
    p.add_argument("--simulations", "--sims", dest="sims", default="0,32", help="simulations of the searches (default: 0,32)")
    p.add_argument("--exact", type=int, nargs="*", default=[11], metavar="E", help="empty squares (default: 11)")
    p.add_argument("--threads", type=int, default=1)
    o = p.parse_args()
    if not re.fullmatch(r"\d+(,\d+)*", o.sims):
        fail(f"--simulations {o.sims}: expected numbers with commas between them, e.g. 0,32")
    rows = rows_of(o)
    if not o.draw_only:
        measure_missing(o, rows)
    if not rows:
        fail(f"nothing is measured: {o.data} has no lines{'' if o.draw_only else f' and {o.run} no archived checkpoint'}")
    for row in rows:
        words = [f"{a['suite']}@{a['sims']} {a['agreement']:.1f}" for a in row["agreement"]]
        words += [f"losing lines E={squares} {n}" for squares, n in row["losing_lines"].items()]
        print(f"{row['games'] / 1000:.0f} thousand games, {row['seconds'] / 3600:.2f} h: {', '.join(words)}")
    if o.svg:
        draw(rows, o.svg, o.against)
    if o.trend_from is not None:
        print_trends(rows, o.trend_from)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped; the same command goes on")
