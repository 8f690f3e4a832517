#!/usr/bin/env python3
"""How far does a network come that is given no look-ahead, by scale alone?

Transformers of different sizes over 16 squares and 16 pieces learn exact labels that were made before, and are measured
against perfect play by pieces on the board.

    python3 examples/pytorch/scale.py --prepare labels.npz --positions 4000000 --pieces 7 14 --threads 16
    python3 examples/pytorch/scale.py --labels labels.npz --sizes 1M 6M 20M --minutes 8 --device cuda
"""
import argparse
import os
import time

import numpy
import quartozero
import torch
from networks import Transformer
from supervised import learn

# Width, layers and heads; the names are the numbers of weights.
SIZES = {"tiny": (32, 1, 4), "200k": (64, 4, 4), "1M": (128, 5, 8), "6M": (256, 8, 8), "20M": (448, 8, 8)}


def prepare(options):
    """Labels as arrays in a file: positions [N, 17], values of the moves [N, 16]; written whole."""
    stream = quartozero.labels(tuple(options.pieces), seed=options.seed, threads=options.threads, batch=2048)
    positions, moves, start = [], [], time.monotonic()
    done = told = 0
    while done < options.positions:
        labels = next(stream)
        positions.append(labels.positions)
        moves.append(labels.moves)
        done += len(labels.positions)
        seconds = time.monotonic() - start
        if seconds > told + 10:
            left = (options.positions - done) * seconds / done
            print(f"{done:,} labels, {done / seconds:,.0f} a second, {max(left, 0):,.0f} s left", flush=True)
            told = seconds
    moves = numpy.nan_to_num(numpy.concatenate(moves), nan=-2).astype(numpy.int8)
    with open(options.prepare + ".new", "wb") as file:
        numpy.savez(file, positions=numpy.concatenate(positions), moves=moves)
    os.replace(options.prepare + ".new", options.prepare)
    print(f"{options.prepare}: {done:,} labels in {seconds:,.0f} s")


def batches(file, options):
    """Random images of random labels, without an end, on the device."""
    held = numpy.load(file)
    positions, moves = held["positions"], held["moves"]
    rng = numpy.random.default_rng(options.seed)
    while True:
        rows = rng.integers(len(positions), size=options.batch)
        values = moves[rows].max(1)
        keeping = (moves[rows] == values[:, None]).astype(numpy.float32)
        planes, policy = quartozero.augment(
            quartozero.encode(positions[rows]), keeping / keeping.sum(1, keepdims=True), rng.integers(2**63)
        )
        batch = torch.from_numpy(planes), torch.from_numpy(policy), torch.from_numpy(1 - values).long()
        yield [tensor.to(options.device, non_blocking=True) for tensor in batch]


class HalfPrecision(torch.nn.Module):
    """The network in bfloat16 where the device has it, with float32 weights and results."""

    def __init__(self, network, device):
        super().__init__()
        self.network, self.device_type, self.enabled = network, torch.device(device).type, torch.device(device).type != "cpu"

    def forward(self, planes):
        with torch.autocast(self.device_type, torch.bfloat16, enabled=self.enabled):
            policy, outcome = self.network(planes)
        return policy.float(), outcome.float()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prepare", metavar="FILE", help="make labels, write them, and end")
    parser.add_argument("--positions", type=int, default=1_000_000)
    parser.add_argument("--pieces", type=int, nargs=2, default=(8, 14), metavar=("LEAST", "MOST"))
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--labels", metavar="FILE", help="learn from these")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=["1M"])
    parser.add_argument("--minutes", type=float, default=8, help="for each size")
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--limit", type=int, default=0, help="measure on so many positions by pieces and phase; 0: on all")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if bool(options.prepare) == bool(options.labels):
        parser.error("give either --prepare FILE or --labels FILE")
    if options.prepare:
        return prepare(options)
    for size in options.sizes:
        torch.manual_seed(options.seed)
        network = HalfPrecision(Transformer(*SIZES[size]), options.device).to(options.device)
        weights = sum(p.numel() for p in network.parameters())
        steps = learn(network, batches(options.labels, options), options.minutes, options.rate)

        def evaluate(planes):
            network.eval()
            with torch.no_grad():
                return [head.cpu().numpy() for head in network(torch.from_numpy(planes).to(options.device))]

        found = quartozero.measure(evaluate, simulations=0, limit=options.limit)
        print(f"{size}: {weights:,} weights, {steps:,} steps, {steps * options.batch:,} samples\n{found}")
        by_pieces = {}
        for row in found["rows"]:
            by_pieces.setdefault(row["pieces"], []).append(row["agreement"])
        for pieces, shares in sorted(by_pieces.items()):
            print(f"  {pieces:2} pieces  {100 * sum(shares) / len(shares):.1f}")
        print(flush=True)


if __name__ == "__main__":
    main()
