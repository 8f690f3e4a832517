#!/usr/bin/env python3
"""AlphaZero in one file: a network learns Quarto from games against itself, with PyTorch.

    python3 examples/pytorch/alphazero.py --minutes 10 --out mine.pt
    build/quartozero eval torchscript:mine.pt

quartozero plays the games, hundreds side by side, and asks the network about batches of positions; this file has the rest.
"""
import argparse
import time

import numpy
import quartozero
import torch
from torch import nn
from torch.nn.functional import log_softmax, relu


class Network(nn.Module):
    """Planes [N, 34, 4, 4] to logits of the 32 actions (place on a square, give a piece) and of win, draw and loss."""

    def __init__(self, width=32, blocks=2):
        super().__init__()

        def convolution(inputs):
            return nn.Sequential(nn.Conv2d(inputs, width, 3, padding=1, bias=False), nn.BatchNorm2d(width))

        self.stem = convolution(34)
        self.blocks = nn.ModuleList(nn.Sequential(convolution(width), nn.ReLU(), convolution(width)) for _ in range(blocks))
        self.place = nn.Conv2d(width, 1, 1)
        self.rest = nn.Sequential(nn.Linear(2 * width, 32), nn.ReLU(), nn.Linear(32, 19))

    def forward(self, planes):
        x = relu(self.stem(planes))
        for block in self.blocks:
            x = relu(x + block(x))
        flat = x.flatten(2)
        rest = self.rest(torch.cat([flat.mean(2), flat.amax(2)], 1))
        return torch.cat([self.place(x).flatten(1), rest[:, :16]], 1), rest[:, 16:]


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
        """Tensors of random images of so many positions: planes, policy, its weight, outcome."""
        of = rng.choice(len(self.held), p=numpy.array([len(s.positions) for s in self.held]) / len(self))
        samples = self.held[of]
        rows = rng.integers(len(samples.positions), size=count)
        planes = quartozero.encode(samples.positions[rows])
        planes, policy = quartozero.augment(planes, samples.policy[rows], rng.integers(2**63))
        return [torch.from_numpy(a) for a in (planes, policy, samples.weights[rows], samples.outcomes[rows])]


def loss_of(network, planes, policy, weights, outcomes):
    actions, outcome = network(planes)
    placing = planes[:, 17, :1, 0] > 0
    logits = torch.where(placing, actions[:, :16], actions[:, 16:])
    legal = torch.where(placing, planes[:, 0].flatten(1), planes[:, 18:34, 0, 0]) > 0
    policy_loss = -(policy * log_softmax(logits.masked_fill(~legal, -1e9), 1)).sum(1)
    outcome_loss = -log_softmax(outcome, 1).gather(1, 1 - outcomes.long()[:, None])
    return (weights * policy_loss).mean() + outcome_loss.mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--simulations", type=int, default=32, help="of a search for each move")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=0, help="measure on so many positions by pieces and phase; 0: on all")
    parser.add_argument("--out", help="write the network as TorchScript")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    rng = numpy.random.default_rng(options.seed)
    network, replay = Network(), Replay()
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=0.01)

    def evaluate(planes):
        network.eval()
        with torch.no_grad():
            policy, outcome = network(torch.from_numpy(planes))
        return policy.numpy(), outcome.numpy()

    def measure(what, **more):
        print(f"{what}\n{quartozero.measure(evaluate, limit=options.limit, **more)}", flush=True)

    measure("before", simulations=0)
    start = time.monotonic()
    settings = {"search.root": "gumbel", "selfplay.random_starts": 0.3}
    games = quartozero.selfplay(evaluate, simulations=options.simulations, seed=options.seed, batch_games=100, settings=settings)
    for samples in games:
        replay.add(samples)
        left = 60 * options.minutes - (time.monotonic() - start)
        if left < 0:
            break
        for group in optimizer.param_groups:
            group["lr"] = 2e-3 * min(1.0, 3 * left / (60 * options.minutes))
        network.train()
        losses = []
        for _ in range(4 * len(samples.positions) // 256):  # each position is learned from about four times
            loss = loss_of(network, *replay.draw(256, rng))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"{games.games} games  loss {numpy.mean(losses):.3f}  {left:.0f} s left", flush=True)
    small = quartozero.Player.load(quartozero.shipped_network("small"))
    measure(f"after {games.games} games", beside={"small": small})
    if options.out:
        network.eval()
        torch.jit.trace(network, torch.zeros(2, 34, 4, 4), check_trace=False).save(options.out)
        print(f"{options.out}: play it as torchscript:{options.out}")


if __name__ == "__main__":
    main()
