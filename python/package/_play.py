"""Games between players. A player is anything with choose(position) -> move."""
from __future__ import annotations

import random
from typing import List, NamedTuple, Optional, Protocol, Sequence, Union

from ._quartozero import Position, parse_game

SQUARES = tuple(column + row for row in "1234" for column in "abcd")
PIECES = tuple("0123456789ABCDEF")
MOVES = {"place": SQUARES, "give": PIECES}
ACTIONS = SQUARES + PIECES  # every move by its number, where one number names moves of both phases


def action_of(position: Position, move: str) -> int:
    """The number of a move in this position's phase. ValueError for a text that is none."""
    return SQUARES.index(move) if position.phase == "place" else len(SQUARES) + PIECES.index(move)


class Chooser(Protocol):
    def choose(self, position: Position) -> str: ...


class RandomPlayer:
    """Any legal move, each as likely as the next. The same seed gives the same choices."""

    def __init__(self, seed: Optional[int] = None) -> None:
        self._random = random.Random(seed)

    def choose(self, position: Position) -> str:
        if position.is_over:
            raise ValueError(f"the game is over in '{position}'")
        return self._random.choice(position.legal_moves)


class OnePlyPlayer:
    """A rule of thumb: wins if it can, gives nothing that loses at once, leaves itself something safe to give."""

    def __init__(self, seed: Optional[int] = None) -> None:
        self._random = random.Random(seed)

    def choose(self, position: Position) -> str:
        if position.is_over:
            raise ValueError(f"the game is over in '{position}'")
        return self._random.choice(position.one_ply_moves())


class Game(NamedTuple):
    """A game that has been played: its moves from `start` on, and who won."""

    start: Position
    moves: List[str]
    final: Position
    winner: Optional[int]  # 0: the first player, 1: the second; None: nobody

    def __str__(self) -> str:
        return " ".join(self.moves)


def play_game(first: Chooser, second: Chooser, start: Optional[Position] = None) -> Game:
    """Has two players finish a game; `first` is whoever gave the first piece on the empty board (player 0)."""
    start = Position() if start is None else start
    position, moves, players = start, [], (first, second)
    while not position.is_over:
        move = players[position.player_to_act].choose(position)
        position = position.play(move)
        moves.append(move)
    return Game(start, moves, position, position.winner)


def positions_of(game: Union[str, Sequence[str]], rules: str = "lines") -> List[Position]:
    """All positions of a game (a text, or its moves), from the empty board to the one after its last move."""
    moves = parse_game(game, rules) if isinstance(game, str) else game
    positions = [Position(rules=rules)]
    for move in moves:
        positions.append(positions[-1].play(move))
    return positions
