#!/usr/bin/env python3
"""AlphaZero in a hundred lines: a network learns Quarto from games against itself, with PyTorch.

    python3 examples/pytorch/alphazero.py --minutes 10 --out mine.pt
    build/quartozero eval torchscript:mine.pt

quartozero plays the games, hundreds side by side, and asks the network about batches of positions.
This file has the rest, but for the network itself (networks.py).
"""
import argparse
import time

import numpy
import quartozero
import torch
from networks import Pairs, evaluator, losses, save

BATCH, RATE = 64, 4e-3


class Replay:
    """The samples of the last batches of games."""

    def __init__(self, window=200_000):
        self.window, self.held = window, []

    def add(self, samples):
        self.held.append(samples)
        while len(self) - len(self.held[0].positions) > self.window:
            del self.held[0]

    def __len__(self):
        return sum(len(samples.positions) for samples in self.held)

    def draw(self, count, rng):
        """Tensors of random images of so many positions: planes, policy, its weight, outcome (0 win, 1 draw, 2 loss)."""
        of = rng.choice(len(self.held), p=numpy.array([len(s.positions) for s in self.held]) / len(self))
        samples = self.held[of]
        rows = rng.integers(len(samples.positions), size=count)
        planes = quartozero.encode(samples.positions[rows])
        planes, policy = quartozero.augment(planes, samples.policy[rows], rng.integers(2**63))
        return [torch.from_numpy(a) for a in (planes, policy, samples.weights[rows], 1 - samples.outcomes[rows].astype(numpy.int64))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--games", type=int, help="end after so many games, if the minutes are not over before")
    parser.add_argument("--simulations", type=int, default=32, help="of a search for each move")
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch; for networks this small more are slower")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=0, help="measure on so many positions by pieces and phase; 0: on all")
    parser.add_argument("--out", help="write the network as TorchScript")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    rng = numpy.random.default_rng(options.seed)
    network, replay = Pairs(), Replay()
    evaluate = evaluator(network)
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.01)

    def measure(what, **more):
        print(f"{what}\n{quartozero.measure(evaluate, limit=options.limit, **more)}", flush=True)

    measure("before", simulations=0)
    start = time.monotonic()
    settings = {"search.root": "gumbel", "selfplay.random_starts": 0.3}
    games = quartozero.selfplay(evaluate, simulations=options.simulations, seed=options.seed, batch_games=100, settings=settings)
    for samples in games:
        replay.add(samples)
        left = max(0, 60 * options.minutes - (time.monotonic() - start))
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1.0, 3 * left / (60 * options.minutes))
        network.train()
        lost = []
        for _ in range(4 * len(samples.positions) // BATCH):  # each position is learned from about four times
            planes, policy, weights, outcomes = replay.draw(BATCH, rng)
            policy_loss, outcome_loss = losses(network, planes, policy, outcomes)
            loss = (weights * policy_loss + outcome_loss).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            lost.append(loss.item())
        print(f"{games.games} games  loss {numpy.mean(lost):.3f}  {left:.0f} s left", flush=True)
        if left == 0 or games.games >= (options.games or float("inf")):
            break
    small = quartozero.Player.load(quartozero.shipped_network("small"))
    measure(f"after {games.games} games", beside={"small": small})
    if options.out:
        save(network, options.out)


if __name__ == "__main__":
    main()
