#!/usr/bin/env python3
"""Agreement along one training run: measures every archived checkpoint, writes a line of JSON for each, and draws the curve.

  scripts/scaling/along.py runs/night --quartozero build/quartozero --data curve.jsonl --svg curve.svg

The run needs checkpoints to measure: `train --set limits.archive_every=20`. Checkpoints that are in --data are passed over, so the
same command goes on while the run does. A line has the iteration, games, evaluations and learning steps until then, the seconds
that the run has spent, the learning rate, agreement with exact play on all positions of the suites (without a search and with
--sims, no proofs, by suite with half of the 95% interval), and the losing lines of endgame:E:net:CHECKPOINT for each of --exact.
Without --svg nothing is drawn; with --draw-only nothing is measured, and RUN may be missing.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from measure import means


def progress(run):
    """By iteration: what the run had done."""
    found, evaluations = {}, 0
    with open(run / "metrics.jsonl") as file:
        for m in map(json.loads, file):
            if "step" not in m or "games" not in m:
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


def output(command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def json_of(command):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "out.json"
        output([*command, "--json", str(file)])
        return json.loads(file.read_text())


def measure(o, checkpoint):
    command = [o.quartozero, "eval", str(checkpoint), "--sims", o.sims, "--search", "proof_nodes=0", "--no-baselines"]
    row = {"agreement": means(json_of([*command, "--threads", str(o.threads)]))}
    losing = {}
    for squares in o.exact:
        walk = json_of([o.quartozero, "exploit", f"endgame:{squares}:net:{checkpoint}", "--threads", str(o.threads)])
        losing[str(squares)] = walk["losing_lines"]
    if losing:
        row["losing_lines"] = losing
    return row


def draw(rows, svg):
    try:
        import matplotlib
    except ImportError:
        sys.exit("error: matplotlib is missing: apt-get install python3-matplotlib, or pip install matplotlib")
    matplotlib.use("svg")
    matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text: a smaller file
    matplotlib.rcParams["svg.hashsalt"] = "quartozero"  # the same file every time
    import matplotlib.pyplot as plt

    axes_of = {}
    for a in rows[0]["agreement"]:
        axes_of.setdefault(a["suite"], len(axes_of))
    figure, axes = plt.subplots(1, len(axes_of), figsize=(5.2 * len(axes_of), 3.6), squeeze=False)
    for suite, at in axes_of.items():
        ax = axes[0][at]
        for sims in sorted({a["sims"] for a in rows[0]["agreement"]}):
            points = [(r["games"] / 1000, a) for r in rows for a in r["agreement"] if (a["suite"], a["sims"]) == (suite, sims)]
            x, y = [g for g, _ in points], [a["agreement"] for _, a in points]
            half = [a["half_interval"] for _, a in points]
            (line,) = ax.plot(x, y, marker=".", linewidth=1, label=f"{sims} simulations" if sims else "no search")
            ax.fill_between(x, [v - h for v, h in zip(y, half)], [v + h for v, h in zip(y, half)], color=line.get_color(), alpha=0.15)
        ax.set(title=suite, xlabel="games of self-play, thousand", ylabel="agreement, percent")
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
    p.add_argument("--draw-only", action="store_true")
    p.add_argument("--sims", default="0,32", help="simulations of the searches (default: 0,32)")
    p.add_argument("--exact", type=int, nargs="*", default=[11], metavar="E", help="empty squares (default: 11)")
    p.add_argument("--threads", type=int, default=1)
    o = p.parse_args()
    rows = [json.loads(line) for line in o.data.read_text().splitlines()] if o.data.exists() else []
    if not o.draw_only:
        archive = o.run / "archive"
        if not archive.is_dir():
            sys.exit(f"error: {archive} does not exist: train with --set limits.archive_every=20 to keep checkpoints to measure")
        done = progress(o.run)
        measured = {row["iteration"] for row in rows}
        names = sorted(path.name for path in archive.iterdir() if path.name.startswith("iteration-") and path.name[10:].isdigit())
        wanted = [name for name in names if int(name[10:]) not in measured and int(name[10:]) in done]
        for i, name in enumerate(wanted):
            print(f"{i + 1} of {len(wanted)}: {name}", flush=True)
            row = done[int(name[10:])] | measure(o, archive / name)
            rows.append(row)
            with open(o.data, "a") as out:
                out.write(json.dumps(row) + "\n")
                out.flush()
                os.fsync(out.fileno())
    if not rows:
        sys.exit(f"error: nothing is measured yet: {o.data} has no lines and {o.run} no archived checkpoint")
    rows.sort(key=lambda row: row["games"])
    for row in rows:
        words = [f"{a['suite']}@{a['sims']} {a['agreement']:.1f}" for a in row["agreement"]]
        words += [f"losing lines E={squares} {n}" for squares, n in row.get("losing_lines", {}).items()]
        print(f"{row['games'] / 1000:.0f} thousand games, {row['seconds'] / 3600:.2f} h: {', '.join(words)}")
    if o.svg:
        draw(rows, o.svg)


if __name__ == "__main__":
    main()
