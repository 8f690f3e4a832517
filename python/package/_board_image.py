"""A position as a picture, with nothing but NumPy."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._quartozero import Position

CELL = 64  # pixels
MARGIN = 16
_BACKGROUND = (223, 227, 224)
_SQUARE = (247, 248, 246)
_USED = (200, 206, 202)
_OUTLINE = (16, 24, 43)
_COLOURS = ((246, 231, 189), (35, 53, 92))  # light, dark


def _draw_piece(image: NDArray[numpy.uint8], top: int, left: int, piece: int) -> None:
    """Dark or light, large for tall, round or square, with a hole if hollow (docs/formats.md has the bits)."""
    y, x = numpy.mgrid[0:CELL, 0:CELL] - (CELL - 1) / 2
    radius = CELL * (0.40 if piece & 2 else 0.26)
    distance = numpy.hypot(x, y) if piece & 4 else numpy.maximum(abs(x), abs(y))
    shape = distance <= radius
    hole = (distance <= radius * 0.45) & (piece & 8 == 0)
    area = image[top : top + CELL, left : left + CELL]
    area[shape & ~hole] = _COLOURS[piece & 1]
    edge = (abs(distance - radius) < 1) | ((abs(distance - radius * 0.45) < 1) & (piece & 8 == 0))
    area[edge] = _OUTLINE


def board_image(position: Position) -> NDArray[numpy.uint8]:
    """uint8 [height, width, 3]: the board, a1 at the top left; the piece in hand beside it; the pieces left below."""
    gap = CELL // 8
    rows, columns = 6, 5
    height = 2 * MARGIN + rows * (CELL + gap)
    width = 2 * MARGIN + max(columns, 8) * (CELL + gap)
    image = numpy.empty((height, width, 3), dtype=numpy.uint8)
    image[:] = _BACKGROUND

    def corner(row: int, column: int) -> "tuple[int, int]":
        return MARGIN + row * (CELL + gap), MARGIN + column * (CELL + gap)

    pieces = position.pieces
    for row in range(4):
        for column in range(4):
            top, left = corner(row, column)
            image[top : top + CELL, left : left + CELL] = _SQUARE
            piece = pieces.get("abcd"[column] + "1234"[row])
            if piece is not None:
                _draw_piece(image, top, left, int(piece, 16))
    if position.hand is not None:
        _draw_piece(image, *corner(0, 5), int(position.hand, 16))
    available = position.available
    for piece in range(16):
        top, left = corner(4 + piece // 8, piece % 8)
        if f"{piece:X}" in available:
            _draw_piece(image, top, left, piece)
        else:
            image[top + CELL // 2 - 2 : top + CELL // 2 + 2, left + CELL // 2 - 2 : left + CELL // 2 + 2] = _USED
    return image
