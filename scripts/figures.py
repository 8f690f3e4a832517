#!/usr/bin/env python3
"""Figures of the documentation: docs/figures/*.json holds them, the pages show them.

  scripts/figures.py --check                    pages and data agree; names what does not, and exits with 1
  scripts/figures.py --write                    write the tables of the data into the pages
  scripts/figures.py --measure [NAME...]        measure again, write data, tables and pictures: `make figures`

A file NAME.json has "what" (a sentence), "command", "commit", "machine", "date", and at least one of
  "columns" and "rows": a table, which stands in a page between <!-- figures NAME --> and <!-- end figures -->
  "quoted": {"PAGE": ["text", ...]}: figures that stand in the sentences of a page
  "points": what the picture NAME.svg beside it shows
--measure measures all that it knows, or NAMES: the agreement of the shipped networks (agreement-NETWORK), the players in the README
(players; one row is the network of `make demo`, in runs/demo), the levels of play, agreement against time (effort) and along a run (learning: with --run RUN, which
has archived checkpoints). Pictures need matplotlib. Times need an idle machine.
"""

import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "scripts/scaling"))
from shared import fail, half_interval, json_of, output_of, pyplot

folder = root / "docs" / "figures"
REQUIRED = ("what", "command", "commit", "machine", "date")
BLOCK = re.compile(r"^<!-- figures ([\w-]+) -->\n(.*?)^<!-- end figures -->$", re.M | re.S)


# Pages and data


def pages():
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "*.md"], capture_output=True, text=True)
    if listed.returncode == 0:
        return [root / name for name in listed.stdout.split()]
    return [p for p in root.rglob("*.md") if not re.match(r"build|runs|node_modules", p.relative_to(root).parts[0])]


def load(file):
    try:
        data = json.loads(file.read_text())
    except json.JSONDecodeError as e:
        fail(f"{file.relative_to(root)}: {e}")
    missing = [key for key in REQUIRED if not isinstance(data.get(key), str)]
    if missing:
        fail(f"{file.relative_to(root)} has no text for {', '.join(missing)}")
    return data


def table(data):
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in [data["columns"], *data["rows"]]]
    lines.insert(1, "|" + "---|" * len(data["columns"]))
    return "\n".join(lines) + "\n"


def check():
    data = {file.stem: load(file) for file in sorted(folder.glob("*.json"))}
    wrong, shown = [], set()
    for page in pages():
        text = page.read_text()
        name_of = page.relative_to(root)
        blocks = BLOCK.findall(text)
        if len(blocks) != len(re.findall(r"^<!-- figures ", text, re.M)):
            wrong.append(f"{name_of}: a block of figures without an end")
        for name, body in blocks:
            if name not in data or "rows" not in data[name]:
                wrong.append(f"{name_of}: docs/figures/{name}.json has no table")
            elif body != table(data[name]):
                wrong.append(f"{name_of}: the table '{name}' is not that of docs/figures/{name}.json: scripts/figures.py --write")
            shown.add(name)
    for name, d in data.items():
        for row in d.get("rows", []):
            if len(row) != len(d["columns"]):
                wrong.append(f"docs/figures/{name}.json: {len(d['columns'])} columns, and a row of {len(row)}: {row}")
        if "rows" in d and name not in shown and not d.get("quoted"):
            wrong.append(f"docs/figures/{name}.json: no page shows the table")
        if not any(d.get(key) for key in ("rows", "quoted", "points")):
            wrong.append(f"docs/figures/{name}.json: no table, no quoted figures, no points of a picture")
        if "points" in d and not any(f"figures/{name}.svg" in page.read_text() for page in pages()):
            wrong.append(f"docs/figures/{name}.json: no page shows the picture docs/figures/{name}.svg")
        for page, texts in d.get("quoted", {}).items():
            text = " ".join((root / page).read_text().split()) if (root / page).exists() else ""
            wrong += [f"{page} does not say '{t}', as docs/figures/{name}.json does" for t in texts if " ".join(t.split()) not in text]
    for line in wrong:
        print(line)
    print(f"{len(data)} files of figures looked at")
    return 1 if wrong or not data else 0


def write():
    for page in pages():
        text = page.read_text()

        def block(match):
            file = folder / f"{match[1]}.json"
            if not file.exists():
                fail(f"{page.relative_to(root)}: docs/figures/{match[1]}.json does not exist")
            return f"<!-- figures {match[1]} -->\n{table(load(file))}<!-- end figures -->"

        new = BLOCK.sub(block, text)
        if new != text:
            page.write_text(new)
            print(f"{page.relative_to(root)}: written")


# Measuring

NETWORKS = ("zero", "small", "distilled", "squares")
FEW = range(5, 10)  # pieces on the board that still tell players apart
PROOFS = 2000  # nodes at each leaf, the default


class Program:
    def __init__(self, path):
        self.path = path

    def run(self, *words, what=output_of):
        print(f"{self.path} {' '.join(words)}", flush=True)
        return what([self.path, *words], root)

    def eval(self, checkpoint, sims, proof_nodes):
        """Rows of agreement by suite, phase and pieces, those of simple players, and what it printed."""
        found, text = self.run("eval", str(checkpoint), "--simulations", sims, "--search", f"proof_nodes={proof_nodes}", what=json_of)
        return found["rows"], found["baselines"], text

    def microseconds(self, checkpoint, sims, proof_nodes):
        """A move of one core: of the raw network, and of the search."""
        words = self.run("bench", "light", str(checkpoint), "--simulations", str(sims), "--proof-nodes", str(proof_nodes)).splitlines()[-1].split()
        return float(words[2]), float(words[3])


def mean(rows, suite, sims, player=None, pieces=range(17)):
    """In percent, with half of its 95% interval."""
    chosen = [r for r in rows if (r["suite"], r["sims"], r.get("player")) == (suite, sims, player) and r["pieces"] in pieces]
    return 100 * sum(r["agreement"] for r in chosen) / len(chosen), half_interval(chosen)


def save(name, what, command, **content):
    """The file with this content; "quoted" stays what it was."""
    commit = subprocess.run(["git", "-C", root, "rev-parse", "--short=7", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    models = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    file = folder / f"{name}.json"
    old = load(file) if file.exists() else {}
    data = {"what": what, "command": command, "commit": commit, "machine": f"{models[0] if models else 'unknown'}, {len(models)} cores",
            "date": datetime.date.today().isoformat(), **content}
    if "quoted" in old:
        data["quoted"] = old["quoted"]
    file.parent.mkdir(exist_ok=True)
    rows = {key: data.pop(key) for key in ("rows", "points") if key in data}
    text = json.dumps(data, indent=1, ensure_ascii=False)
    for key, value in rows.items():  # a line each
        text = text[:-2] + f',\n "{key}": [\n  ' + ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in value) + "\n ]\n}"
    file.write_text(text + "\n")
    print(f"docs/figures/{name}.json: written", flush=True)


def measure_agreement(program, network):
    checkpoint = f"checkpoints/{network}"
    rows = []
    for proofs in (0, PROOFS):
        found, _, text = program.eval(checkpoint, "0,32,128", proofs)
        for suite, line in zip(dict.fromkeys(r["suite"] for r in found), re.findall(r"^mean, all rows (.*)$", text, re.M)):
            cells = re.findall(r"[\d.]+ \[ *[\d.]+, *[\d.]+\]", line)
            cells = [re.sub(r"\[ +", "[", re.sub(r", +", ", ", cell)) for cell in cells]
            rows.append([f"{suite}, K={proofs:,}", *(cells if not proofs else ["", *cells[1:]])])
    save(f"agreement-{network}", f"agreement of {network} with exact play in percent: mean over phases and pieces, with its 95% interval; K: proof nodes at each leaf",
         f"build/quartozero eval {checkpoint} --simulations 0,32,128 --search proof_nodes=N, N = 0 and {PROOFS}",
         columns=["agreement", "policy", "@32", "@128"], rows=rows)


def measure_players(program, demo):
    def cells(rows, sims, player=None):
        all_of = [f"{mean(rows, suite, sims, player)[0]:.1f}" for suite in ("decisive", "deep")]
        return [" / ".join(all_of), f"{mean(rows, 'deep', sims, player, FEW)[0]:.1f}"]

    def time(microseconds):
        return f"{microseconds:.0f} us" if microseconds < 1000 else f"{microseconds / 1000:.1f} ms"

    rows = []
    named = {"checkpoints/zero": "`zero`: self-play, 12 hours of one core", "checkpoints/small": "`small`: self-play, 16 minutes of one core",
             "checkpoints/distilled": "`distilled`: exact labels, 40 minutes of one core",
             demo: "what `make demo` trains: self-play, two minutes of two cores"}
    for checkpoint, name in named.items():
        if not (root / checkpoint).is_dir():
            fail(f"{checkpoint} does not exist: `make demo` trains it, or name another one with --demo")
        found, baselines, _ = program.eval(checkpoint, "0,32", 0)
        raw, searched = program.microseconds(checkpoint, 32, 0)
        rows.append([name, *cells(found, 0), time(raw), *cells(found, 32), time(searched)])
    rows.append(["the search alone, no network", "", "", "", *cells(baselines, 32, "uniform"), ""])
    rows.append(["one-ply rule", *cells(baselines, 0, "oneply"), "", "", "", ""])
    rows.append(["random moves", *cells(baselines, 0, "random"), "", "", "", ""])
    save("players", "agreement with exact play in percent, decisive / deep; 5-9: deep positions of five to nine pieces alone; time of a move on one core",
         "scripts/figures.py --measure players",
         columns=["player", "raw network", "5-9", "a move", "32 simulations", "5-9", "a move"], rows=rows)


def measure_levels(program):
    levels = re.search(r"or a level: ([\w, ]+)", program.run("match", "--help"))[1].split(", ")
    rows = [[level.capitalize()] for level in levels]
    for rules in ("lines", "squares"):
        for row, level, below in zip(rows, levels, ["random", *levels]):
            m, _ = program.run("match", level, below, "--rules", rules, "--games", "1000", "--seed", "1", what=json_of)
            player = re.sub(r"light:checkpoints/(\w+)/model\.light", r"\1", m["a"])
            score, low, high = (f"{100 * m[key]:.1f}" for key in ("score", "score_low", "score_high"))
            row += [f"`{player}`", f"{score} [{low}, {high}], {round(m['elo']):+d}"]
    for row in rows:
        if row[3] == row[1]:
            row[3] = "the same"
    rows[0][2] = f"against `random` {rows[0][2]}"
    save("levels", "The levels of play: score in percent against the level below, with 95% interval, and Elo difference; 1,000 games each.",
         "build/quartozero match beginner random --games 1000 --seed 1, and so on for each pair of levels; also with --rules squares",
         columns=["level", "player under `lines`", "score", "player under `squares`", "score"], rows=rows)


def picture():
    figure, ax = pyplot().subplots(figsize=(7.2, 3.6))
    ax.set(xscale="log")
    ax.grid(alpha=0.3)
    return figure, ax


def finish(figure, ax, name):
    ax.legend(loc="lower right", fontsize="small")
    figure.tight_layout()
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    print(f"docs/figures/{name}.svg: drawn")


def level(ax, height, text):
    ax.axhline(height, color="0.45", linewidth=0.9, linestyle="--")
    ax.annotate(text, (0.01, height), xycoords=("axes fraction", "data"), xytext=(0, 2), textcoords="offset points", fontsize="small", color="0.3")


def measure_effort(program):
    points = []
    for network in ("zero", "small"):
        checkpoint = f"checkpoints/{network}"
        for proofs in (0, PROOFS):
            sims = [0, 8, 32, 128] if not proofs else [8, 32]
            found = program.eval(checkpoint, ",".join(map(str, sims)), proofs)[0]
            for n in sims:
                raw, searched = program.microseconds(checkpoint, max(n, 1), proofs)
                points.append([network, n, proofs, searched if n else raw, *(round(x, 1) for x in mean(found, "deep", n, pieces=FEW))])
    save("effort", "network, simulations, proof nodes at each leaf, microseconds of a move on one core, agreement with exact play in percent "
         "(deep positions of five to nine pieces), half of its 95% interval", "scripts/figures.py --measure effort", points=points)


def draw_effort():
    figure, ax = picture()
    points = load(folder / "effort.json")["points"]
    for (network, colour), proofs in ((c, p) for c in (("zero", "#0072b2"), ("small", "#d55e00")) for p in (0, PROOFS)):
        of = [p for p in points if (p[0], p[2]) == (network, proofs)]
        ax.errorbar([p[3] for p in of], [p[4] for p in of], yerr=[p[5] for p in of], color=colour, marker="s" if proofs else "o", markersize=4,
                    linewidth=1, linestyle=":" if proofs else "-", capsize=2, label=f"{network}, with proofs" if proofs else network)
        for p in of:
            ax.annotate(f"@{p[1]}" if p[1] else "raw", p[3:5], xytext=(4, -9), textcoords="offset points", fontsize="x-small", color=colour)
    ax.set(xlabel="microseconds of one core for a move", ylabel="agreement with exact play, percent")
    finish(figure, ax, "effort")


def measure_learning(program, run):
    if run is None:
        fail("learning: name a run with archived checkpoints, --run runs/curve; docs/figures/learning.json has its command")
    lines = [json.loads(line) for line in (root / run / "metrics.jsonl").read_text().splitlines()]
    games = {m["iteration"]: m["games"] for m in lines if "games" in m}
    points, baselines = [], []
    with tempfile.TemporaryDirectory() as scratch:  # random weights: a run that has not learned yet
        config = root / run / "config.yaml"
        start = pathlib.Path(scratch) / "start"
        program.run("train", str(config), "--quiet", "--out", str(start), "--set", "limits.iterations=1", "--set", "learner.learning_rate=1e-9")
        wanted = {0: start / "checkpoint"} | {2**k: root / run / "archive" / f"iteration-{2**k:06}" for k in range(20) if 2**k in games}
        for iteration, checkpoint in wanted.items():
            found, baselines, _ = program.eval(checkpoint, "0,32", 0)
            points.append([games.get(iteration, 0), *(round(x, 1) for sims in (0, 32) for x in mean(found, "deep", sims))])
    levels = {name: round(mean(baselines, "deep", 0, name)[0], 1) for name in ("random", "oneply")}
    command = load(folder / "learning.json")["command"] if (folder / "learning.json").exists() else ""
    save("learning", "games of self-play, agreement with exact play in percent on deep positions without a search, half of its 95% interval, "
         "the same with 32 simulations and no proofs", command, levels=levels, points=points)


def draw_learning():
    figure, ax = picture()
    data = load(folder / "learning.json")
    points = data["points"]
    x = [max(p[0], points[1][0] / 3) for p in points]  # random weights: at the left edge
    for at, label, colour in ((3, "32 simulations, no proofs", "#d55e00"), (1, "raw network", "#0072b2")):
        ax.errorbar(x, [p[at] for p in points], yerr=[p[at + 1] for p in points], marker="o", markersize=4, linewidth=1, capsize=2, color=colour, label=label)
    level(ax, 100, "perfect play")
    level(ax, data["levels"]["oneply"], "one-ply rule")
    level(ax, data["levels"]["random"], "random play")
    ax.set(ylim=(data["levels"]["random"] - 6, 104), xlabel="games of self-play", ylabel="agreement with exact play, percent")
    ax.set_xticks(x, ["random\nweights", *(f"{p[0]:,}" for p in points[1:])], fontsize="x-small")
    ax.minorticks_off()
    finish(figure, ax, "learning")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = p.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true")
    what.add_argument("--write", action="store_true")
    what.add_argument("--draw", action="store_true", help="draw the pictures of the data")
    what.add_argument("--measure", nargs="*", metavar="NAME")
    p.add_argument("--quartozero", default="build/quartozero", help="the program (default: build/quartozero)")
    p.add_argument("--demo", default="runs/demo/best", metavar="CHECKPOINT")
    p.add_argument("--run", metavar="RUN")
    o = p.parse_args()
    if o.check:
        sys.exit(check())
    if o.measure is not None:
        program = Program(o.quartozero)
        known = {f"agreement-{n}": lambda n=n: measure_agreement(program, n) for n in NETWORKS}
        known |= {"players": lambda: measure_players(program, o.demo), "levels": lambda: measure_levels(program),
                  "effort": lambda: measure_effort(program)}
        if not o.measure:
            o.measure = list(known)  # learning needs a run
        known["learning"] = lambda: measure_learning(program, o.run)
        unknown = [name for name in o.measure if name not in known]
        if unknown:
            fail(f"unknown: {', '.join(unknown)}; known: {', '.join(known)}")
        for name in o.measure:
            known[name]()
    if o.draw or o.measure is not None:
        for name, draw in (("effort", draw_effort), ("learning", draw_learning)):
            if (folder / f"{name}.json").exists():
                draw()
    write()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped")
