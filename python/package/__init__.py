"""Quarto: positions, exact values, and players that have learned the game.

    >>> import quartozero
    >>> position = quartozero.Position("..../2F.A/E9../.8B3 -")
    >>> quartozero.Solver().solve(position)
    >>> player = quartozero.Player.load(quartozero.shipped_network("zero"), simulations=128)
    >>> player.choose(position)

Squares are 'a1' to 'd4', pieces '0' to 'F', one bit for each attribute; a move is the text of the one or the other.
Values are for the player to act. Arrays of positions are described at to_array().
"""
from ._types import (
    Evaluation,
    Evaluations,
    Labels,
    MoveDistance,
    MoveThought,
    NetworkFileError,
    Samples,
    Searches,
    SuiteEntry,
    Thought,
    Value,
)
try:
    from ._quartozero import (
        Batch,
        Evaluator,
        Player,
        Position,
        Search,
        Solver,
        __version__,
        augment,
        counts,
        encode,
        from_array,
        parse_game,
        random_positions,
        read_samples,
        read_suite,
        symmetries,
        to_array,
    )
except ModuleNotFoundError as error:
    if error.name != "quartozero._quartozero":
        raise
    from ._data import compiled_part_missing

    raise ImportError(compiled_part_missing(), name=error.name) from None
from ._data import shipped_network, shipped_suite
from ._measuring import Agreement, exploit, match, measure
from ._residual import save_residual
from ._streams import labels, selfplay
from .training import Run, TrainingError, evaluate, runs, train
from ._play import MOVES, PIECES, SQUARES, Game, OnePlyPlayer, RandomPlayer, play_game, positions_of

__all__ = [
    "Agreement",
    "Batch",
    "Evaluation",
    "Evaluations",
    "Evaluator",
    "Game",
    "Labels",
    "MOVES",
    "MoveDistance",
    "MoveThought",
    "NetworkFileError",
    "OnePlyPlayer",
    "PIECES",
    "Player",
    "Position",
    "RandomPlayer",
    "Run",
    "SQUARES",
    "Samples",
    "Search",
    "Searches",
    "Solver",
    "SuiteEntry",
    "Thought",
    "TrainingError",
    "Value",
    "augment",
    "counts",
    "encode",
    "env",
    "evaluate",
    "exploit",
    "from_array",
    "labels",
    "match",
    "measure",
    "parse_game",
    "play_game",
    "positions_of",
    "random_positions",
    "read_samples",
    "read_suite",
    "runs",
    "save_residual",
    "selfplay",
    "shipped_network",
    "suite",
    "symmetries",
    "to_array",
    "train",
]


def suite(name, rules="lines"):
    """The positions of a suite that comes with the program, as of read_suite(): "decisive", "deep", "all", and of the rules
    "lines" also "reached"."""
    rules = Position(rules=rules).rules  # ValueError for rules that do not exist
    return read_suite(shipped_suite(name, rules), rules)


def env(rules="lines", render_mode=None):
    """A PettingZoo environment (AEC) of the game, see quartozero.environment; needs the package pettingzoo."""
    from .environment import env as make

    return make(rules=rules, render_mode=render_mode)
