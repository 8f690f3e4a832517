#!/usr/bin/env python3
"""Lets somebody's Quarto program play against quartozero's players: replace choose(), which has the one-ply rule.

    quartozero match "engine:python3 examples/engine/adapter.py" oneply --games 20
    quartozero rate "engine:python3 examples/engine/adapter.py" random oneply rollout:64 --games 20

docs/engine.md has the protocol, docs/formats.md squares, pieces and positions. Standard output belongs to the protocol:
print other things to sys.stderr.
"""
import random
import sys

LINES = [[4 * i + j for j in range(4)] for i in range(4)] + [[4 * j + i for j in range(4)] for i in range(4)]
LINES += [[0, 5, 10, 15], [3, 6, 9, 12]]


def completes(board, square, piece):
    """Whether `piece` on `square` makes four in a line that share an attribute, one of the four bits."""
    after = board[:square] + [piece] + board[square + 1 :]
    lines = [[after[s] for s in line] for line in LINES if square in line]
    full = [line for line in lines if None not in line]
    return any(a & b & c & d or 15 & ~(a | b | c | d) for a, b, c, d in full)


def safe(board, pieces):
    """Those of the pieces with which nobody completes a line."""
    empty = [s for s in range(16) if board[s] is None]
    return [p for p in pieces if not any(completes(board, s, p) for s in empty)]


def choose(board, hand, milliseconds):
    """A square (0 to 15, a1 b1 ... d4) for the piece `hand`, or, where that is None, a piece to give (0 to 15).

    `board` has a piece or None for each square; `milliseconds` are left for the game, None without a clock."""
    left = [p for p in range(16) if p not in board and p != hand]
    if hand is None:
        return random.choice(safe(board, left) or left)
    empty = [s for s in range(16) if board[s] is None]
    wins = [s for s in empty if completes(board, s, hand)]
    quiet = [s for s in empty if safe(board[:s] + [hand] + board[s + 1 :], left)]
    return random.choice(wins or quiet or empty)


def main():
    board, hand = [None] * 16, None
    for line in sys.stdin:
        words = line.split()
        if words[:1] == ["uqi"]:
            print("id name adapter\nuqiok", flush=True)
        elif words[:1] == ["isready"]:
            print("readyok", flush=True)
        elif words[:2] == ["position", "board"]:
            board = [None if c == "." else int(c, 16) for c in words[2].replace("/", "")]
            hand = None if words[3] == "-" else int(words[3], 16)
        elif words[:1] == ["go"]:
            move = choose(board, hand, int(words[2]) if words[1:2] == ["clock"] else None)
            print("bestmove", "%X" % move if hand is None else "abcd"[move % 4] + str(move // 4 + 1), flush=True)
        elif words[:1] == ["quit"]:
            return


if __name__ == "__main__":
    main()
