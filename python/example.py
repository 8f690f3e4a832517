"""A tour of the Python module: `python3 python/example.py`, or cell by cell in an editor that knows `# %%`."""
# %% Positions are values: playing a move makes another one.
import sys
import time
from collections import defaultdict

import quartozero

try:
    import numpy
except ImportError:
    sys.exit("this example needs NumPy: pip install numpy")

position = quartozero.Position("..../2F.A/E9../.8B3 -")
print(repr(position), "to", position.phase, position.legal_moves)
print("after giving C and placing it on b1:", position.play("C", "b1"))

# %% The exact solver: what every move is worth to the player who makes it.
solver = quartozero.Solver()
values = solver.solve_moves(position)
print("exact:", solver.solve(position), {move: str(value) for move, value in values.items()})

# %% A network that learned from self-play alone: its opinion, and a search with it.
player = quartozero.Player.load(quartozero.shipped_network("zero"), simulations=64)
opinion = player.evaluate(position)
print(f"network: win {opinion.win:.2f}, draw {opinion.draw:.2f}, loss {opinion.loss:.2f}, likes {opinion.best}")
thought = player.think(position, simulations=500)
print(f"search:  {thought.best}, worth {thought.value:+.2f}, expects {' '.join(thought.line)}")

# %% A game against a rule of thumb. Anything with choose(position) can play.
game = quartozero.play_game(player, quartozero.OnePlyPlayer(seed=3))
print("game:", game)
print("winner:", {0: "the network", 1: "the rule of thumb", None: "nobody"}[game.winner])

# %% Many positions at once, without a Python object for each.
array = quartozero.random_positions(10_000, seed=1)
start = time.perf_counter()
batch = player.evaluate_batch(array)
seconds = time.perf_counter() - start
shapes = f"{batch.priors.shape} {batch.outcomes.shape}"
print(f"evaluated {len(array)} positions, {len(array) / seconds:,.0f} a second: {shapes}")

# %% How close to perfect? Positions in which a move can be wrong, each with the exact values of all its moves.
suite = quartozero.read_suite(sys.argv[1]) if len(sys.argv) > 1 else quartozero.suite("decisive")
choices = player.evaluate_batch([entry.position for entry in suite]).priors.argmax(axis=1)
kept = defaultdict(list)
for entry, choice in zip(suite, choices):
    move = quartozero.MOVES[entry.position.phase][choice]
    kept[entry.position.phase, len(entry.position.pieces)].append(entry.moves[move] == entry.value)
agreement = numpy.mean([numpy.mean(stratum) for stratum in kept.values()])
print(f"agreement with exact play on {len(suite)} positions: {100 * agreement:.1f}% (mean over phase and pieces)")

# %% Does it know who wins? The likeliest outcome against the solver's, where solving is quick.
late = array[(array[:, :16] >= 0).sum(axis=1) >= 9][:1000]
exact = solver.solve_batch(late)
likeliest = 1 - player.evaluate_batch(late).outcomes.argmax(axis=1)  # win, draw, loss are 1, 0, -1
right = 100 * numpy.mean(likeliest == exact)
print(f"outcome right in {right:.1f}% of {len(late)} random positions with 9 pieces or more")
