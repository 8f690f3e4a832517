"""What networks learn from, made as it is used: exact labels, and games of self-play.

    >>> for batch in quartozero.labels(seed=1):                  # without an end
    ...     learn(batch.planes, batch.policy, batch.values)
"""
from __future__ import annotations

import operator
import os
import re
from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Sequence, Tuple, Union

from . import _quartozero
from ._data import shipped_suite
from ._play import MOVES

if TYPE_CHECKING:
    from ._quartozero import LabelStream, SelfPlay, _Network

PathLike = Union[str, "os.PathLike[str]"]


# New suites have positions with so many pieces on the board, each number and phase equally often: as those that ship, but
# without what takes minutes.
PIECES = {"decisive": (7, 14), "deep": (7, 13)}
FOR_EACH = 150


def suite_files(suites: Sequence[PathLike], rules: str, folder: Optional[str] = None) -> List[str]:
    """Paths of suites that are given by path or by name. With a folder, also new ones, which are written there: "deep:7"."""
    files = [os.fspath(s) for s in ([suites] if isinstance(suites, (str, os.PathLike)) else suites)]
    new = re.compile(r"(decisive|deep):(\d{1,18})").fullmatch
    for i, file in enumerate(files):
        match = new(file) if folder else None
        if match:
            files[i] = os.path.join(folder or "", f"{file}.tsv")
            _write_suite(files[i], match[1], int(match[2]), rules)
        elif not os.path.exists(file):
            files[i] = shipped_suite(file, rules)
    return files


def _write_suite(path: str, kind: str, seed: int, rules: str) -> None:
    pieces = PIECES[kind]
    count = 2 * (pieces[1] - pieces[0] + 1) * FOR_EACH
    exclude = suite_files(("decisive", "deep"), rules)
    # Others than those of labels() with this seed, which a network may have learned from.
    stream = _quartozero.LabelStream(pieces, kind, seed + 2**63, 1, count, exclude, "careful", rules, 64.0)
    labels = next(stream)
    with open(path, "w") as file:
        for position, value, moves in zip(_quartozero.from_array(labels.positions, rules), labels.values, labels.moves):
            values = " ".join(f"{name}:{int(v)}" for name, v in zip(MOVES[position.phase], moves) if v == v)
            file.write(f"{position}\t{int(value)}\t{values}\n")


def labels(
    pieces: Tuple[int, int] = (8, 14),
    decisive: bool = True,
    *,
    seed: int = 0,
    threads: int = 1,
    batch: int = 1024,
    exclude: Sequence[PathLike] = ("decisive", "deep"),
    sampling: str = "careful",
    rules: str = "lines",
    table_mb: float = 64.0,
) -> LabelStream:
    """Positions with the exact values of all their moves, without an end: an iterator over Labels of `batch` positions.

    pieces: the least and the most on the board; each number and both phases come up equally often. Fewer pieces take
    longer (docs/own-network.md). decisive: only positions whose moves have different values: none of them is lost. seed: the same gives the same
    positions, whatever the threads. exclude: suites whose positions are left out, with all their images. sampling: how
    games get there: "careful" (nobody loses at once without need), "quiet" or "any".
    """
    rules = _quartozero.Position(rules=rules).rules  # ValueError for rules that do not exist
    if operator.index(seed) < 0:
        raise ValueError(f"labels: seed must not be negative, but is {seed}")
    if isinstance(pieces, int) or len(pieces) != 2:
        raise ValueError(f"labels: pieces must be two numbers, as (8, 14), not {pieces!r}")
    keep = "decisive" if decisive else "all"
    return _quartozero.LabelStream(pieces, keep, seed, threads, batch, suite_files(exclude, rules), sampling, rules, table_mb)


def selfplay(
    evaluate: _Network,
    games: Optional[int] = None,
    simulations: int = 64,
    *,
    seed: int = 0,
    side_by_side: int = 256,
    batch_games: int = 64,
    settings: Optional[Mapping[str, Any]] = None,
) -> SelfPlay:
    """Games that a network plays against itself, as the trainer plays them: an iterator over the Samples of batch_games games
    or some more, in the order in which they end; without an end if games is None.

    evaluate: a function (see Evaluator), an Evaluator or a Player. It may change between two batches, or be exchanged: set
    `network` of what is returned. side_by_side: games whose searches wait for one batch of the network. settings: keys of
    the sections `search` and `selfplay` (quartozero train --print-config), as {"selfplay.random_starts": 0.3}. The same seed
    and network give the same samples.
    """
    return _quartozero.SelfPlay(evaluate, games, simulations, seed, side_by_side, batch_games, dict(settings or {}))
