"""Agreement with exact play: how often a network of your own keeps the exact value.

    >>> def evaluate(planes):                        # float32 [N, 34, 4, 4], see quartozero.Evaluator
    ...     return policy_logits, outcome_logits     # [N, 16], [N, 3]
    >>> print(quartozero.measure(evaluate, beside={"small": small}))
"""
from __future__ import annotations

import json
import operator
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from . import _quartozero
from ._data import shipped_suite

if TYPE_CHECKING:
    from ._quartozero import _Network

PathLike = Union[str, "os.PathLike[str]"]


def frame(rows: Sequence[Mapping[str, Any]]) -> Any:
    """A pandas DataFrame if pandas is there, else the rows."""
    try:
        import pandas
    except ImportError:
        return list(rows)
    return pandas.DataFrame(list(rows))


def numbers(one_or_many: Union[int, Sequence[int]]) -> List[int]:
    try:
        return [operator.index(one_or_many)]  # type: ignore[arg-type]
    except TypeError:
        return list(one_or_many)  # type: ignore[arg-type]


class Agreement(Dict[str, Any]):
    """What `quartozero eval --json` writes, with a table of it, which print() shows with 95% intervals."""

    def _rows(self, cell: Callable[[Dict[str, Any]], Any]) -> List[Dict[str, Any]]:
        rows: Dict[tuple, Dict[str, Any]] = {}
        for mean in [*self["means"], *self["baseline_means"]]:
            player = mean.get("player", "net")
            row = rows.setdefault((player, mean["sims"]), {"player": player, "simulations": mean["sims"]})
            row[mean["suite"]] = cell(mean)
        return list(rows.values())

    def table(self) -> Any:
        """Shares of positions in which the move keeps the value, in percent: a pandas DataFrame with a row for each player
        and number of simulations ("net" is the network) and a column for each suite; without pandas a list of dicts."""
        return frame(self._rows(lambda mean: round(100 * mean["agreement"], 2)))

    def __str__(self) -> str:
        def percent(mean: Dict[str, Any]) -> str:
            return f"{100 * mean['agreement']:.1f} [{100 * mean['low']:.1f}, {100 * mean['high']:.1f}]"

        rows = [{key: str(value) for key, value in row.items()} for row in self._rows(percent)]
        columns = list(dict.fromkeys(key for row in rows for key in row))
        lines = [{column: column for column in columns}, *rows]
        widths = {column: max(len(line.get(column, "")) for line in lines) for column in columns}
        return "\n".join("  ".join(line.get(c, "").ljust(widths[c]) for c in columns).rstrip() for line in lines)


def measure(
    evaluate: _Network,
    suites: Sequence[PathLike] = ("decisive", "deep"),
    simulations: Union[int, Sequence[int]] = (0, 32),
    *,
    beside: Optional[Mapping[str, _Network]] = None,
    proof_nodes: int = 0,
    root: str = "puct",
    settings: Optional[Mapping[str, Any]] = None,
    limit: int = 0,
    side_by_side: int = 1024,
    seed: int = 0,
    on_progress: Optional[Callable[[str, int, int], object]] = None,
) -> Agreement:
    """How often a network keeps the exact value, alone (0 simulations) and with a search.

    evaluate: a function (see Evaluator), an Evaluator or a Player. suites: those that ship, by name, or paths. beside: other
    networks of the same rules, by the names that the result shall have. proof_nodes, root, settings: of the search, as of
    Search. limit: at most so many positions for each phase and number of pieces; 0: all. side_by_side: positions in a batch.
    on_progress: gets what is measured, and the numbers of finished and of all positions.
    """
    rules = _quartozero.rules_of(evaluate)
    files = [os.fspath(s) for s in suites]
    options = {
        "files": [f if os.path.exists(f) else shipped_suite(f, rules) for f in files],
        "simulations": numbers(simulations),
        "proof_nodes": proof_nodes,
        "root": root,
        "settings": dict(settings or {}),
        "limit": limit,
        "side_by_side": side_by_side,
        "seed": seed,
        "on_progress": on_progress,
    }
    result = Agreement(json.loads(_quartozero.measure_json(evaluate, baselines=True, **options)))
    for name, other in (beside or {}).items():
        found = json.loads(_quartozero.measure_json(other, baselines=False, **options))
        for own, theirs in (("rows", "baselines"), ("means", "baseline_means"), ("means_7_to_13", "baseline_means_7_to_13"),
                            ("means_all_positions", "baseline_means_all_positions")):
            result[theirs] += [{**row, "player": name} for row in found[own]]
    return result
