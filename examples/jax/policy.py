#!/usr/bin/env python3
"""Learns Quarto from exact labels with JAX, and measures the result against perfect play.

    python3 examples/jax/policy.py --minutes 5

The network has two hidden layers, and needs no library but JAX.
"""
import argparse
import collections
import time

import jax
import jax.numpy as jnp
import numpy
import quartozero


def initial_weights(key, width=256):
    sizes = [34 * 16, width, width, 32 + 3]
    keys = jax.random.split(key, len(sizes) - 1)
    return [(jax.random.normal(k, (n, m)) * (2 / n) ** 0.5, jnp.zeros(m)) for k, n, m in zip(keys, sizes, sizes[1:])]


def network(weights, planes):
    """Planes [N, 34, 4, 4] to logits of the 32 actions and of win, draw and loss."""
    x = planes.reshape(len(planes), -1)
    for w, b in weights[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = weights[-1]
    x = x @ w + b
    return x[:, :32], x[:, 32:]


def loss_of(weights, planes, policy, outcomes):
    actions, outcome = network(weights, planes)
    placing = planes[:, 17, :1, 0] > 0
    logits = jnp.where(placing, actions[:, :16], actions[:, 16:])
    legal = jnp.where(placing, planes[:, 0].reshape(-1, 16), planes[:, 18:34, 0, 0]) > 0
    shares = jax.nn.log_softmax(jnp.where(legal, logits, -1e9))
    of_outcome = jnp.take_along_axis(jax.nn.log_softmax(outcome), outcomes[:, None], 1)
    return -(policy * shares).sum(1).mean() - of_outcome.mean()


@jax.jit
def step(weights, moments, count, rate, *batch):
    """One step of Adam (Kingma and Ba 2015)."""
    loss, gradient = jax.value_and_grad(loss_of)(weights, *batch)
    first = jax.tree_util.tree_map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradient)
    second = jax.tree_util.tree_map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], gradient)
    rate = rate * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
    weights = jax.tree_util.tree_map(lambda w, m, v: w - rate * m / (jnp.sqrt(v) + 1e-8), weights, first, second)
    return weights, (first, second), loss


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=0, help="measure on so many positions by pieces and phase; 0: on all")
    options = parser.parse_args()
    rng = numpy.random.default_rng(options.seed)
    weights = initial_weights(jax.random.PRNGKey(options.seed))
    zeros = jax.tree_util.tree_map(jnp.zeros_like, weights)
    moments, count, pool = (zeros, zeros), 0, collections.deque(maxlen=5000)
    start = told = time.monotonic()
    for labels in quartozero.labels(seed=options.seed, batch=1024):
        pool.append(labels)
        for _ in range(8):  # of the labels so far, as random images of their positions
            drawn = pool[rng.integers(len(pool))]
            planes, policy = quartozero.augment(drawn.planes, drawn.policy, rng.integers(2**63))
            count += 1
            weights, moments, loss = step(weights, moments, float(count), 1e-3, planes, policy, 1 - drawn.values)
        now = time.monotonic()
        if now - start > 60 * options.minutes:
            break
        if now - told > 10:
            print(f"step {count:6}  loss {loss:.3f}  {60 * options.minutes - (now - start):.0f} s left", flush=True)
            told = now
    # JAX compiles for each shape, so batches get one of few sizes.
    compiled = jax.jit(network)

    def evaluate(planes):
        rows = len(planes)
        padded = numpy.zeros((1 << (rows - 1).bit_length(), 34, 4, 4), numpy.float32)
        padded[:rows] = planes
        policy, outcome = compiled(weights, padded)
        return policy[:rows], outcome[:rows]

    small = quartozero.Player.load(quartozero.shipped_network("small"))
    print(quartozero.measure(evaluate, limit=options.limit, beside={"small": small}))


if __name__ == "__main__":
    main()
