#!/usr/bin/env python3
"""Learns Quarto from exact labels with PyTorch, and measures the result against perfect play.

    python3 examples/pytorch/supervised.py --network pairs --minutes 10 --out mine.pt
    build/quartozero match torchscript:mine.pt@32 light:small@32

The solver makes labels while the network learns, in processes of their own.
"""
import argparse
import time

import numpy
import quartozero
import torch
from networks import Pairs, Residual, Transformer, evaluator, losses, save

NETWORKS = {"pairs": Pairs, "residual": Residual, "transformer": Transformer}


class Labels(torch.utils.data.IterableDataset):
    """Batches of planes [N, 34, 4, 4], shares of the moves that keep the value [N, 16], and outcomes [N]: 0 win, 1 draw,
    2 loss."""

    def __init__(self, seed, **options):
        self.seed, self.options = seed, options

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        for labels in quartozero.labels(seed=self.seed + 1000 * (worker.id if worker else 0), **self.options):
            yield torch.from_numpy(labels.planes), torch.from_numpy(labels.policy), torch.from_numpy(1 - labels.values).long()


def learn(network, batches, minutes, rate):
    """Steps until the minutes after the first batch are over, with a rate that falls as a cosine. Returns their number."""
    optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.01)
    sum_of_losses, steps = 0.0, 0
    for step, batch in enumerate(batches, 1):
        now = time.monotonic()
        if step == 1:
            start = told = now
        share = (now - start) / (60 * minutes)
        if share >= 1:
            return step - 1
        network.train()
        for group in optimizer.param_groups:
            group["lr"] = rate * min(step / 100, 0.5 + 0.5 * numpy.cos(numpy.pi * share))
        loss = sum(losses(network, *batch)).mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        sum_of_losses, steps = sum_of_losses + loss.item(), steps + 1
        if now - told > min(10, 10 * minutes):
            print(f"step {step:6}  loss {sum_of_losses / steps:.3f}  {60 * minutes - (now - start):.0f} s left", flush=True)
            told, sum_of_losses, steps = now, 0.0, 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", choices=NETWORKS, default="pairs")
    parser.add_argument("--width", type=int, default=0, help="channels; 0: that of the class")
    parser.add_argument("--depth", type=int, default=0, help="blocks or layers")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=3e-3, help="of learning")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--pieces", type=int, nargs=2, default=(8, 14), metavar=("LEAST", "MOST"), help="on the board, of labels")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch; for networks this small more are slower")
    parser.add_argument("--workers", type=int, default=1, help="processes that make labels")
    parser.add_argument("--limit", type=int, default=0, help="measure on so many positions by pieces and phase; 0: on all")
    parser.add_argument("--out", help="write the network as TorchScript")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    shape = {key: getattr(options, key) for key in ("width", "depth") if getattr(options, key)}
    network = NETWORKS[options.network](**shape)
    print(f"{options.network}: {sum(p.numel() for p in network.parameters()):,} weights", flush=True)
    labels = Labels(options.seed, batch=options.batch, pieces=tuple(options.pieces))
    steps = learn(network, torch.utils.data.DataLoader(labels, batch_size=None, num_workers=options.workers), options.minutes, options.rate)
    print(f"{steps} steps")
    small = quartozero.Player.load(quartozero.shipped_network("small"))
    print(quartozero.measure(evaluator(network), limit=options.limit, beside={"small": small}))
    if options.out:
        save(network, options.out)


if __name__ == "__main__":
    main()
