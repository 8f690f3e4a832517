#!/usr/bin/env python3
"""Agreement against training cost, for four sizes of network: trains what is missing, measures it, writes a line of JSON for each.

  scripts/scaling/measure.py --quartozero build/quartozero --labels LABELS... --out runs/scaling --data docs/experiments/scaling.jsonl

Runs that are in --data are passed over, so the same command goes on after an interruption. docs/experiments/scaling.md
says how the labels were made and what was found.
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys

from shared import half_interval, json_of

# Processor seconds of an iteration, on one core of the machine that the page names: the iterations of a run are what its
# cost allows. The result depends on iterations and seed alone, never on the clock.
SIZES = {  # width, blocks, an iteration on labels, an iteration of self-play
    "16x1": (16, 1, 0.77, 0.98),
    "16x3": (16, 3, 1.00, 1.18),
    "32x3": (32, 3, 1.85, 1.93),
    "64x3": (64, 3, 6.00, 5.30),
}
LEVELS = {"labels": (8, 30, 120, 480), "selfplay": (15, 60, 240, 960)}  # processor seconds
# The learning rate changes from one iteration to the next, and the first warms up: a run of fewer is no whole one.
LEAST_ITERATIONS = 8
GAMES = 100  # of an iteration of self-play: small, so that short runs have enough iterations
BATCH = 256
SIMULATIONS = (0, 8, 32, 128)


def iterations(track, size, seconds):
    return round(seconds / SIZES[size][2 if track == "labels" else 3])


def processor_seconds(command, log):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(log, "a") as out:
        subprocess.run(command, stdout=out, stderr=out, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def train(o, track, size, seconds, seed, run):
    width, blocks, *_ = SIZES[size]
    n = iterations(track, size, seconds)
    settings = {
        "network.kind": "pairs",
        "network.width": width,
        "network.blocks": blocks,
        "limits.minutes": 0,
        "limits.iterations": n,
        "learner.threads": 1,
        "learner.batch": BATCH,
        "evaluation.every": 0,
        "device": "cpu",
        "seed": seed,
    }
    if track == "labels":
        command = [o.quartozero, "distill", "configs/distill.yaml", "--labels", *o.labels]
        settings["labels.weights"] = "7-9:4"
    else:
        command = [o.quartozero, "train", "configs/cpu.yaml"]
        settings |= {"limits.games": GAMES, "selfplay.threads": 1, "limits.archive_every": 0}
    command += ["--out", str(run), "--quiet"]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    shutil.rmtree(run, ignore_errors=True)
    return n, processor_seconds(command, f"{run}.log")


def work(run):
    """What the run did, whatever the machine: samples drawn, and games and evaluations of self-play."""
    with open(run / "metrics.jsonl") as file:
        lines = [m for m in map(json.loads, file) if m.get("step")]
    done = {"samples": lines[-1]["step"] * BATCH}
    if "games" in lines[-1]:
        done["games"] = lines[-1]["games"]
        done["evaluations"] = round(sum(m["evaluations_per_s"] * m["self_play_seconds"] for m in lines))
    return done


def measure(o, run, simulations):
    command = [o.quartozero, "eval", str(run / "best"), "--simulations", ",".join(map(str, simulations)), "--search", "proof_nodes=0"]
    return json_of([*command, "--no-baselines", "--threads", "1"])[0]


def weights(run):
    """Their number, from the header of the safetensors file."""
    with open(run / "best" / "model.safetensors", "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    count = 0
    for name, tensor in header.items():
        size = 1
        for n in tensor.get("shape", [0]) if name != "__metadata__" else [0]:
            size *= n
        count += size
    return count


def means(evaluation):
    """Agreement by suite and simulations, in percent, with half of its 95% interval."""
    found = []
    for mean in evaluation["means"]:
        rows = [r for r in evaluation["rows"] if (r["suite"], r["sims"]) == (mean["suite"], mean["sims"])]
        found.append(
            {
                "suite": mean["suite"],
                "sims": mean["sims"],
                "agreement": round(100 * mean["agreement"], 2),
                "half_interval": round(half_interval(rows), 2),
            }
        )
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--quartozero", default="build/quartozero")
    p.add_argument("--labels", nargs="+", default=[], metavar="FILE")
    p.add_argument("--out", type=pathlib.Path, default=pathlib.Path("runs/scaling"))
    p.add_argument("--data", type=pathlib.Path, default=pathlib.Path("docs/experiments/scaling.jsonl"))
    p.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    p.add_argument("--most", type=float, default=960, metavar="SECONDS", help="pass over longer runs")
    p.add_argument("--tracks", nargs="+", choices=LEVELS, default=list(LEVELS))
    p.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    o = p.parse_args()
    if "labels" in o.tracks and not o.labels:
        sys.exit("error: --labels is missing: docs/experiments/network-shapes.md has the commands that make them; or say --tracks selfplay")
    o.out.mkdir(parents=True, exist_ok=True)
    done = set()
    if o.data.exists():
        for line in o.data.read_text().splitlines():
            row = json.loads(line)
            if row["iterations"] != iterations(row["track"], row["size"], row["seconds"]):
                sys.exit(f"error: {o.data} has runs with other iterations than SIZES gives: name another --data")
            done.add((row["track"], row["size"], row["seconds"], row["seed"]))
    wanted = [
        (seed, seconds, track, size)
        for seed in o.seeds
        for track in o.tracks
        for seconds in LEVELS[track]
        for size in o.sizes
        if seconds <= o.most and (track, size, seconds, seed) not in done and iterations(track, size, seconds) >= LEAST_ITERATIONS
    ]
    wanted.sort(key=lambda w: (w[1] > 240, w[0], w[1], w[2]))  # the longest runs of all seeds last
    for i, (seed, seconds, track, size) in enumerate(wanted):
        left = sum(w[1] for w in wanted[i:])
        print(f"{i + 1} of {len(wanted)}: {track} {size}, {seconds} s, seed {seed}; about {left / 60:.0f} processor minutes left", flush=True)
        run = o.out / f"{track}-{size}-{seconds}-{seed}"
        n, cost = train(o, track, size, seconds, seed, run)
        evaluation = measure(o, run, SIMULATIONS)
        row = {
            "track": track,
            "size": size,
            "weights": weights(run),
            "seconds": seconds,
            "seed": seed,
            "iterations": n,
            "processor_seconds": round(cost, 1),
            **work(run),
            "agreement": means(evaluation),
        }
        with open(o.data, "a") as out:
            out.write(json.dumps(row) + "\n")
            out.flush()
            os.fsync(out.fileno())


if __name__ == "__main__":
    main()
