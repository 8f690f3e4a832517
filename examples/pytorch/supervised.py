#!/usr/bin/env python3
"""Learns Quarto from exact labels with PyTorch, and measures the result against perfect play.

    python3 examples/pytorch/supervised.py --network transformer --minutes 10 --out transformer.pt
    build/quartozero match torchscript:transformer.pt@32 light:small@32

The solver makes labels while the network learns, in processes of their own; each is used several times, as a random one of
the 12,288 images of its position.
"""
import argparse
import collections
import time

import numpy
import quartozero
import torch
from torch import nn
from torch.nn.functional import cross_entropy, log_softmax, relu


class Labels(torch.utils.data.IterableDataset):
    """Batches of planes [N, 34, 4, 4], shares of the moves that keep the value [N, 16], and outcomes [N]: 0 win, 1 draw,
    2 loss. Each batch of new labels is followed by `repeats` of those so far."""

    def __init__(self, seed, batch=256, repeats=8, **options):
        self.seed, self.batch, self.repeats, self.options = seed, batch, repeats, options

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        seed = self.seed + 1000 * (worker.id if worker else 0)  # other positions in each process
        rng = numpy.random.default_rng(seed)
        pool = collections.deque(maxlen=10_000)
        for labels in quartozero.labels(seed=seed, batch=self.batch, **self.options):
            pool.append(labels)
            for _ in range(self.repeats):
                drawn = pool[rng.integers(len(pool))]
                planes, policy = quartozero.augment(drawn.planes, drawn.policy, rng.integers(2**63))
                yield torch.from_numpy(planes), torch.from_numpy(policy), torch.from_numpy(1 - drawn.values).long()


class Residual(nn.Module):
    """The trunk of AlphaZero on a board of 4 x 4. Its names and shapes are those of quartozero's own `residual` network, so
    quartozero.save_residual() makes a checkpoint of it."""

    def __init__(self, width=64, blocks=4, head_width=32):
        super().__init__()
        self.blocks = blocks

        def convolution(name, inputs):
            setattr(self, name + "_conv", nn.Conv2d(inputs, width, 3, padding=1, bias=False))
            setattr(self, name + "_norm", nn.BatchNorm2d(width))

        convolution("stem", 34)
        for i in range(blocks):
            convolution(f"block{i}_first", width)
            convolution(f"block{i}_second", width)
        self.place = nn.Conv2d(width, 1, 1)
        self.give_hidden, self.give = nn.Linear(2 * width, head_width), nn.Linear(head_width, 16)
        self.outcome_hidden, self.outcome = nn.Linear(2 * width, head_width), nn.Linear(head_width, 3)

    def forward(self, planes):
        def convolve(name, x):
            return getattr(self, name + "_norm")(getattr(self, name + "_conv")(x))

        x = relu(convolve("stem", planes))
        for i in range(self.blocks):
            x = relu(x + convolve(f"block{i}_second", relu(convolve(f"block{i}_first", x))))
        flat = x.flatten(2)
        pooled = torch.cat([flat.mean(2), flat.amax(2)], 1)
        place, give = self.place(x).flatten(1), self.give(relu(self.give_hidden(pooled)))
        return torch.cat([place, give], 1), self.outcome(relu(self.outcome_hidden(pooled)))


class Transformer(nn.Module):
    """32 tokens: the squares, each with what stands on it, and the pieces, each with where it is. A token's output is the logit
    of its action: to place there, or to give that piece."""

    def __init__(self, width=64, layers=4, heads=4):
        super().__init__()
        self.contents = nn.Embedding(17, width)  # of a square: a piece, or nothing
        self.states = nn.Embedding(3, width)  # of a piece: on the board, in hand, to be given
        self.tokens = nn.Parameter(torch.randn(32, width) / 8)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.trunk = nn.TransformerEncoder(layer, layers, nn.LayerNorm(width), enable_nested_tensor=False)
        self.action, self.outcome = nn.Linear(width, 1), nn.Linear(width, 3)
        self.register_buffer("bits", 2.0 ** torch.arange(4))
        self.register_buffer("pieces", torch.arange(16))

    def forward(self, planes):
        planes = planes.flatten(2)  # [N, 34, 16]: quartozero.encode() says which plane is what
        content = torch.einsum("b,nbs->ns", self.bits, planes[:, 1:5]).long() + 16 * planes[:, 0].long()
        hand = torch.einsum("b,nb->n", self.bits, planes[:, 9:13, 0]).long()
        in_hand = (hand[:, None] == self.pieces) & (planes[:, 17, :1] > 0)
        state = 2 * planes[:, 18:34, 0].long() + in_hand.long()
        x = torch.cat([self.contents(content), self.states(state)], 1) + self.tokens
        x = self.trunk(x)
        return self.action(x).flatten(1), self.outcome(x.mean(1))


def loss_of(network, planes, policy, outcomes):
    """The cross-entropies of policy and outcome. The policy is over legal moves: empty squares, or pieces that are left."""
    actions, outcome = network(planes)
    placing = planes[:, 17, :1, 0] > 0
    logits = torch.where(placing, actions[:, :16], actions[:, 16:])
    legal = torch.where(placing, planes[:, 0].flatten(1), planes[:, 18:34, 0, 0]) > 0
    shares = log_softmax(logits.masked_fill(~legal, -1e9), 1)
    return -(policy * shares).sum(1).mean() + cross_entropy(outcome, outcomes)


def evaluator(network):
    """The network as quartozero wants it: NumPy in, NumPy out."""

    def evaluate(planes):
        network.eval()
        with torch.no_grad():
            policy, outcome = network(torch.from_numpy(planes))
        return policy.numpy(), outcome.numpy()

    return evaluate


def learn(network, batches, minutes, rate=2e-3):
    """Steps until the minutes are over, with a rate that falls as a cosine. Returns the number of steps."""
    optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.01)
    start = told = time.monotonic()
    sum_of_losses, steps = 0.0, 0
    for step, batch in enumerate(batches, 1):
        now = time.monotonic()
        share = (now - start) / (60 * minutes)
        if share >= 1:
            return step - 1
        network.train()
        for group in optimizer.param_groups:
            group["lr"] = rate * min(step / 100, 0.5 + 0.5 * numpy.cos(numpy.pi * share))
        loss = loss_of(network, *batch)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        sum_of_losses, steps = sum_of_losses + loss.item(), steps + 1
        if now - told > min(10, 10 * minutes):
            print(f"step {step:6}  loss {sum_of_losses / steps:.3f}  {60 * minutes - (now - start):.0f} s left", flush=True)
            told, sum_of_losses, steps = now, 0.0, 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", choices=("residual", "transformer"), default="residual")
    parser.add_argument("--width", type=int, default=64, help="channels")
    parser.add_argument("--depth", type=int, default=4, help="blocks or layers")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--pieces", type=int, nargs=2, default=(8, 14), metavar=("LEAST", "MOST"), help="on the board, of labels")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, help="processes that make labels")
    parser.add_argument("--limit", type=int, default=0, help="measure on so many positions by pieces and phase; 0: on all")
    parser.add_argument("--out", help="write the network as TorchScript")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    network = {"residual": Residual, "transformer": Transformer}[options.network](options.width, options.depth)
    print(f"{options.network}: {sum(p.numel() for p in network.parameters()):,} weights", flush=True)
    labels = Labels(options.seed, options.batch, pieces=tuple(options.pieces))
    steps = learn(network, torch.utils.data.DataLoader(labels, batch_size=None, num_workers=options.workers), options.minutes)
    print(f"{steps} steps")
    small = quartozero.Player.load(quartozero.shipped_network("small"))
    print(quartozero.measure(evaluator(network), limit=options.limit, beside={"small": small}))
    if options.out:
        network.eval()
        torch.jit.trace(network, torch.zeros(2, 34, 4, 4), check_trace=False).save(options.out)
        print(f"{options.out}: play it as torchscript:{options.out}")


if __name__ == "__main__":
    main()
