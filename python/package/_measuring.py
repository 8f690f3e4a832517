"""Measures networks: agreement with exact play, matches, and walks over every line of play.

    >>> def evaluate(planes):                        # float32 [N, 34, 4, 4], see quartozero.Evaluator
    ...     return policy_logits, outcome_logits     # [N, 16], [N, 3]
    >>> print(quartozero.measure(evaluate, beside={"small": small}))
"""
from __future__ import annotations

import json
import operator
import os
import tempfile
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from . import _quartozero
from ._streams import PathLike, suite_files

if TYPE_CHECKING:
    from ._quartozero import _Network


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


def _player(player: Union[str, _Network], name: str, networks: Dict[str, Any], simulations: int, proof_nodes: int) -> str:
    """The player's name for the program; a network is added to `networks` under `name`."""
    if isinstance(player, str):
        return player
    networks[name] = player
    return f"net:{name}" + (f"@{simulations}:{proof_nodes}" if simulations else "")


def _rules(networks: Mapping[str, Any], rules: Optional[str]) -> str:
    known = [_quartozero.rules_of(network) for network in networks.values()]
    return rules or (known[0] if known else "lines")


def match(
    a: Union[str, _Network],
    b: Union[str, _Network],
    games: int = 100,
    *,
    simulations: int = 0,
    proof_nodes: int = 0,
    networks: Optional[Mapping[str, _Network]] = None,
    rules: Optional[str] = None,
    opening_plies: int = 4,
    side_by_side: int = 256,
    table_mb: float = 64.0,
    seed: int = 0,
    on_progress: Optional[Callable[[int, int], object]] = None,
) -> Dict[str, Any]:
    """A match in pairs of games from random openings, each player first in one: what `quartozero match --json` writes,
    {"wins", "draws", "losses"} of a, "score", "elo" and more.

    a and b: a network, which plays with so many simulations and proof_nodes, or the name of a player as the program has them:
    "oneply", "endgame:9:net:mine@32" with networks={"mine": evaluate}. on_progress: gets the numbers of finished and of all
    games.
    """
    given: Dict[str, Any] = dict(networks or {})
    first = _player(a, "a", given, simulations, proof_nodes)
    second = _player(b, "b", given, simulations, proof_nodes)
    result: Dict[str, Any] = json.loads(
        _quartozero.match_json(first, second, networks=given, rules=_rules(given, rules), games=games,
                               opening_plies=opening_plies, side_by_side=side_by_side, table_mb=table_mb, seed=seed,
                               on_progress=on_progress))
    return result


def exploit(
    player: Union[str, _Network],
    exact_squares: int = 11,
    *,
    simulations: int = 0,
    proof_nodes: int = 0,
    networks: Optional[Mapping[str, _Network]] = None,
    rules: Optional[str] = None,
    solve_squares: int = 7,
    seconds: Optional[float] = None,
    side_by_side: int = 1024,
    table_mb: float = 256.0,
    out: Optional[PathLike] = None,
    fingerprint: str = "",
    on_progress: Optional[Callable[[int, int, int, int], object]] = None,
) -> Dict[str, Any]:
    """Walks every line that an opponent can choose against a player, from both seats: what `quartozero exploit --json` writes,
    {"complete", "unbeatable", "losing_lines", "seats"}.

    A network plays by exact values from exact_squares empty squares on (0: never); the name of a player says so itself, as for
    match(). The network is asked about some positions in batches of two sizes first: ValueError where it differs. seconds: the
    walk ends unfinished then. out: a folder that keeps the walk: the same call goes on with it, if `fingerprint`, a text that
    tells the network and its weights from others, is the same too. on_progress: gets seat, ply, and the numbers of positions and of losing lines.
    """
    given: Dict[str, Any] = dict(networks or {})
    name = _player(player, "network", given, simulations, proof_nodes)
    if not isinstance(player, str) and exact_squares:
        name = f"endgame:{exact_squares}:{name}"
    if not isinstance(fingerprint, str):
        raise ValueError(f"exploit: the fingerprint must be a text, not {fingerprint!r}")
    if out is not None and given and not fingerprint:
        raise ValueError("exploit: a walk that is kept needs a fingerprint of the network, so that no other goes on with it")
    result: Dict[str, Any] = json.loads(
        _quartozero.exploit_json(name, networks=given, rules=_rules(given, rules), solve_squares=solve_squares,
                                 seconds=seconds, side_by_side=side_by_side, table_mb=table_mb,
                                 out=None if out is None else os.fspath(out), fingerprint=fingerprint,
                                 on_progress=on_progress))
    return result


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

    evaluate: a function (see Evaluator), an Evaluator or a Player. suites: those that ship, by name; paths; new positions of
    such a kind by a seed, as "deep:7" (7 to 13 pieces on the board; "decisive:7": to 14). beside: other
    networks of the same rules, by the names that the result shall have. proof_nodes, root, settings: of the search, as of
    Search. limit: at most so many positions for each phase and number of pieces; 0: all. side_by_side: positions in a batch.
    on_progress: gets what is measured, and the numbers of finished and of all positions.
    """
    if beside is not None and not isinstance(beside, Mapping):
        raise TypeError('measure: beside must be networks by name, as {"small": player}')
    rules = _quartozero.rules_of(evaluate)
    options = {
        "simulations": numbers(simulations),
        "proof_nodes": proof_nodes,
        "root": root,
        "settings": dict(settings or {}),
        "limit": limit,
        "side_by_side": side_by_side,
        "seed": seed,
        "on_progress": on_progress,
    }
    with tempfile.TemporaryDirectory() as folder:
        options["files"] = suite_files(suites, rules, folder)
        result = Agreement(json.loads(_quartozero.measure_json(evaluate, baselines=True, **options)))
        others = {
            name: json.loads(_quartozero.measure_json(other, baselines=False, **options)) for name, other in (beside or {}).items()
        }
    for name, found in others.items():
        for own, theirs in (("rows", "baselines"), ("means", "baseline_means"), ("means_7_to_13", "baseline_means_7_to_13"),
                            ("means_all_positions", "baseline_means_all_positions")):
            result[theirs] += [{**row, "player": name} for row in found[own]]
    return result
