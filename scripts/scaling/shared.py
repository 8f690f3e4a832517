"""What the scripts that measure and draw share."""

import json
import math
import pathlib
import subprocess
import sys
import tempfile


def fail(message):
    sys.exit(f"error: {message}")


def output_of(command, folder=None):
    """What it prints, in that folder."""
    try:
        ran = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    except OSError as e:
        fail(f"{command[0]} cannot be started: {e.strerror}")
    if ran.returncode != 0:
        fail(f"'{' '.join(command)}' failed: {(ran.stderr.strip() or 'no message').splitlines()[-1]}")
    return ran.stdout


def json_of(command, folder=None):
    """What it writes with --json, and what it prints."""
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / "out.json"
        text = output_of([*command, "--json", str(file)], folder)
        return json.loads(file.read_text()), text


def half_interval(rows):
    """Of the mean agreement of these rows of an evaluation: half of its 95% interval, in percent."""
    variance = sum(r["agreement"] * (1 - r["agreement"]) / r["positions"] for r in rows) / len(rows) ** 2
    return 196 * math.sqrt(variance)


def pyplot():
    try:
        import matplotlib
    except ImportError:
        fail("matplotlib is missing: apt-get install python3-matplotlib, or pip install matplotlib")
    matplotlib.use("svg")
    matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text: a smaller file
    matplotlib.rcParams["svg.hashsalt"] = "quartozero"  # the same file every time
    import matplotlib.pyplot

    return matplotlib.pyplot
