"""What the functions of the package return: values and named tuples, so that they print, compare and pickle."""
from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from ._quartozero import Position


class Value(enum.IntEnum):
    """The outcome for the player to act under perfect play; a number, so values compare and add up.

    A draw is 0 and therefore false, as None is: ask `value is None`.
    """

    LOSS = -1
    DRAW = 0
    WIN = 1

    def __repr__(self) -> str:
        return f"Value.{self.name}"

    def __str__(self) -> str:
        return self.name.lower()


class MoveDistance(NamedTuple):
    """The exact value of a move and how far it is from the end, when the winner hurries and the loser delays."""

    value: Optional[Value]  # for the player to act; None where the seconds did not suffice
    # Of both players from now on, this move and the last one included; gives are not counted. None for a draw, and
    # where the seconds did not suffice.
    placements: Optional[int]

    def __str__(self) -> str:
        if self.value is None:
            return "not solved"
        return str(self.value) + ("" if self.placements is None else f" in {self.placements}")


class NetworkFileError(ValueError):
    """A file that is no network, is damaged, or is of another version."""


class Evaluation(NamedTuple):
    """A network's opinion of one position, for the player to act."""

    policy: Dict[str, float]  # probability of each legal move
    win: float
    draw: float
    loss: float

    @property
    def value(self) -> float:
        """-1 to 1."""
        return self.win - self.loss

    @property
    def best(self) -> str:
        """The likeliest move; the first among equals."""
        return max(self.policy, key=self.policy.__getitem__)


class Evaluations(NamedTuple):
    """A network's opinions of N positions, each for its player to act."""

    priors: NDArray[numpy.float32]  # float32 [N, 16]: by index of the move (MOVES), 0 where it is illegal
    outcomes: NDArray[numpy.float32]  # float32 [N, 3]: win, draw, loss

    @property
    def values(self) -> NDArray[numpy.float32]:
        """float32 [N], -1 to 1."""
        values: NDArray[numpy.float32] = self.outcomes[:, 0] - self.outcomes[:, 2]
        return values


class MoveThought(NamedTuple):
    """What a search knows of one move, for the player to act."""

    move: str
    visits: int
    prior: float  # 0 for moves that the rules refute at once
    value: float  # -1 to 1: exact if proven, else the mean; 0 without visits
    proven: Optional[Value]
    at_least: Value  # proven bounds: LOSS and WIN if nothing is known
    at_most: Value


class Thought(NamedTuple):
    """What a search found."""

    best: str
    value: float  # for the player to act, -1 to 1: exact if proven
    proven: Optional[Value]
    line: List[str]  # what is expected from here on, `best` first
    moves: List[MoveThought]  # all legal ones
    simulations: int
    seconds: float
    network: Evaluation  # of the same position, without a search


class Searches(NamedTuple):
    """What searches found of N positions, each for its player to act; moves by index (MOVES)."""

    best: NDArray[numpy.int8]  # [N]
    visits: NDArray[numpy.int32]  # [N, 16]
    policy: NDArray[numpy.float32]  # [N, 16]: what a network is trained towards; sums to one
    values: NDArray[numpy.float32]  # [N], -1 to 1: exact if proven
    at_least: NDArray[numpy.int8]  # [N]: proven bounds of the value, -1 and 1 if nothing is known
    at_most: NDArray[numpy.int8]  # [N]
    simulations: NDArray[numpy.int32]  # [N]: fewer than asked for where the root was proven


class Labels(NamedTuple):
    """N positions with exact values, each for its player to act; moves by index (MOVES)."""

    positions: NDArray[numpy.int8]  # [N, 17], see to_array()
    values: NDArray[numpy.int8]  # [N]: -1, 0, 1
    moves: NDArray[numpy.float32]  # [N, 16]: the value of each move, nan where it is illegal
    rules: str

    @property
    def planes(self) -> NDArray[numpy.float32]:
        """float32 [N, 34, 4, 4], as of encode()."""
        return _planes(self.positions, self.rules)

    @property
    def policy(self) -> NDArray[numpy.float32]:
        """float32 [N, 16]: equal shares of the moves that keep the value; sums to one."""
        keeping = (self.moves == self.values[:, None]).astype("float32")
        policy: NDArray[numpy.float32] = keeping / keeping.sum(1, keepdims=True)
        return policy


class Samples(NamedTuple):
    """N positions of self-play with what is learned from them, each for its player to act; moves by index (MOVES)."""

    positions: NDArray[numpy.int8]  # [N, 17], see to_array()
    policy: NDArray[numpy.float32]  # [N, 16]: the search's shares of the moves; sums to one
    weights: NDArray[numpy.float32]  # [N]: how much the policy counts, 0 or more; the outcome counts once
    outcomes: NDArray[numpy.int8]  # [N]: -1, 0, 1: the value that was proven, or how the game ended
    values: NDArray[numpy.float32]  # [N], -1 to 1: of the search
    rules: str

    @property
    def planes(self) -> NDArray[numpy.float32]:
        """float32 [N, 34, 4, 4], as of encode()."""
        return _planes(self.positions, self.rules)


def _planes(positions: NDArray[numpy.int8], rules: str) -> NDArray[numpy.float32]:
    from ._quartozero import encode

    return encode(positions, rules)


class SuiteEntry(NamedTuple):
    """A position with the exact values of it and of all its moves, for the player to act."""

    position: Position
    value: Value
    moves: Dict[str, Value]

    @property
    def decisive(self) -> bool:
        """Whether its moves have at least two different values: one can go wrong."""
        return len(set(self.moves.values())) > 1
