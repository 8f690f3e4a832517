"""The rows of networks for the table in docs/leaderboard.md.

    python3 -m quartozero.leaderboard mine:evaluate
    python3 -m quartozero.leaderboard small path/to/model.light

A network is MODULE:FUNCTION, as quartozero.Evaluator takes it; a light file; or the name of one that ships.
"""
from __future__ import annotations

import argparse
import sys
import time
from typing import Any, Callable, List, Optional, Sequence

from . import _quartozero
from ._data import shipped_network
from ._measuring import Agreement, measure
from .engine import load

SIMULATIONS = 32


def network_of(name: str) -> Any:
    if ":" in name:
        return load(name)
    if name.endswith(".light"):
        return _quartozero.Player.load(name)
    try:
        return _quartozero.Player.load(shipped_network(name))
    except FileNotFoundError:
        raise ValueError("neither MODULE:FUNCTION, as mine:evaluate, nor a light file, nor a shipped network") from None


def rows(found: Agreement, name: str, suites: Sequence[str], baselines: bool) -> List[str]:
    """Lines of Markdown: agreement in percent, two suites in a cell, without a search and with one."""
    shown = {"net": name}
    if baselines:
        shown.update(random="random moves", oneply="one-ply rule", uniform="the search alone")
    lines = []
    for player, title in shown.items():
        of = {(m["suite"], m["sims"]): m for m in [*found["means"], *found["baseline_means"]] if m.get("player", "net") == player}
        cells = []
        for pair in (suites[:2], suites[2:]):
            for sims in (0, SIMULATIONS):
                cells.append(" / ".join(f"{100 * of[suite, sims]['agreement']:.1f}" for suite in pair if (suite, sims) in of))
        lines.append("| " + " | ".join([title, *cells]) + " |")
    return lines


def progress_of(name: str) -> Callable[[str, int, int], None]:
    """Says every five seconds, in one line of the terminal, what is measured and how far."""
    told = time.monotonic()

    def on_progress(what: str, done: int, total: int) -> None:
        nonlocal told
        if time.monotonic() - told > 5:
            told = time.monotonic()
            print(f"\r{name}: {what}, {done:,} of {total:,} positions ", end="", file=sys.stderr, flush=True)
        if done == total:
            print("\r" + 79 * " " + "\r", end="", file=sys.stderr, flush=True)

    return on_progress


def main(arguments: Optional[Sequence[str]] = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python3 -m quartozero.leaderboard", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("networks", nargs="+", metavar="NETWORK")
    parser.add_argument("--seed", type=int, default=9001, help="of the new positions (default: 9001, that of the table)")
    parser.add_argument("--limit", type=int, default=0, help="so many positions by pieces and phase (default: all)")
    parser.add_argument("--baselines", action="store_true", help="rows of players without a network, too")
    options = parser.parse_args(arguments)
    suites = ["decisive", "deep", f"decisive:{options.seed}", f"deep:{options.seed}"]
    for i, name in enumerate(options.networks):
        try:
            found = measure(network_of(name), suites, (0, SIMULATIONS), limit=options.limit,
                            on_progress=progress_of(name) if sys.stderr.isatty() else None)
        except (ImportError, OSError, ValueError) as error:
            parser.exit(1, f"quartozero.leaderboard: {name}: {type(error).__name__}: {error}\n")
        if not i:
            print("| network | raw | @32 | new: raw | new: @32 |\n|---|---|---|---|---|")
        print("\n".join(rows(found, name, suites, options.baselines and not i)), flush=True)


if __name__ == "__main__":
    main()
