"""An engine over the line protocol UQI (docs/engine.md) that plays with a network of your own.

    python3 -m quartozero.engine mine:evaluate
    quartozero match "engine@32:python3 -m quartozero.engine mine:evaluate" light:small@32

mine.py is a module in this folder or on the path of Python; `evaluate` in it a function as quartozero.Evaluator takes it, an
Evaluator or a Player. It is called on other threads than that of the import: torch.no_grad() belongs inside. `go sims N`, clocks and exact play are those of quartozero-engine. What Python prints goes to standard
error.
"""
from __future__ import annotations

import argparse
import contextlib
import functools
import importlib
import os
import signal
import sys
from typing import Any, Optional, Sequence


def load(name: str) -> Any:
    """What MODULE:NAME names."""
    module, colon, attribute = name.partition(":")
    if not module or not attribute:
        raise ValueError("expected MODULE:FUNCTION, as mine:evaluate")
    sys.path.insert(0, os.getcwd())
    return functools.reduce(getattr, attribute.split("."), importlib.import_module(module))


def main(arguments: Optional[Sequence[str]] = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python3 -m quartozero.engine", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("network", metavar="MODULE:FUNCTION")
    name = parser.parse_args(arguments).network
    from . import _quartozero

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # it waits for lines where Python sees no signal
    with contextlib.redirect_stdout(sys.stderr):
        try:
            network = load(name)
            _quartozero.rules_of(network)
        except Exception as error:
            parser.exit(1, f"quartozero.engine: {name}: {type(error).__name__}: {error}\n")
        _quartozero.run_engine(network, name)


if __name__ == "__main__":
    main()
