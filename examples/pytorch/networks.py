"""Three networks in PyTorch, for the examples beside this file, and what each of them needs to learn.

Planes [N, 34, 4, 4] to logits of the 32 actions (16 squares to place on, 16 pieces to give) and of win, draw and loss;
quartozero.encode() says which plane is what.
"""
import torch
from torch import nn
from torch.nn.functional import log_softmax, relu


class Residual(nn.Module):
    """The trunk of AlphaZero on a board of 4 x 4. Its names and shapes are those of quartozero's own `residual` network, so
    quartozero.save_residual() makes a checkpoint of it."""

    def __init__(self, width=32, depth=2, head_width=32):
        super().__init__()
        self.depth = depth

        def convolution(name, inputs):
            setattr(self, name + "_conv", nn.Conv2d(inputs, width, 3, padding=1, bias=False))
            setattr(self, name + "_norm", nn.BatchNorm2d(width))

        convolution("stem", 34)
        for i in range(depth):
            convolution(f"block{i}_first", width)
            convolution(f"block{i}_second", width)
        self.place = nn.Conv2d(width, 1, 1)
        self.give_hidden, self.give = nn.Linear(2 * width, head_width), nn.Linear(head_width, 16)
        self.outcome_hidden, self.outcome = nn.Linear(2 * width, head_width), nn.Linear(head_width, 3)

    def forward(self, planes):
        def convolve(name, x):
            return getattr(self, name + "_norm")(getattr(self, name + "_conv")(x))

        x = relu(convolve("stem", planes))
        for i in range(self.depth):
            x = relu(x + convolve(f"block{i}_second", relu(convolve(f"block{i}_first", x))))
        flat = x.flatten(2)
        pooled = torch.cat([flat.mean(2), flat.amax(2)], 1)
        place, give = self.place(x).flatten(1), self.give(relu(self.give_hidden(pooled)))
        return torch.cat([place, give], 1), self.outcome(relu(self.outcome_hidden(pooled)))


class Transformer(nn.Module):
    """32 tokens: the squares, each with the attributes of what stands on it, and the pieces, each with its attributes and where it
    is. A token's output is the logit of its action: to place there, or to give that piece."""

    def __init__(self, width=32, depth=2, heads=4):
        super().__init__()
        bits = torch.stack([torch.arange(16) >> a & 1 for a in range(4)]).float()
        self.register_buffer("has", torch.cat([bits, 1 - bits]))  # [8, 16]: which pieces have an attribute's value
        self.square, self.piece = nn.Linear(9, width), nn.Linear(10, width)
        self.tokens = nn.Parameter(torch.randn(32, width) / 8)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.trunk = nn.TransformerEncoder(layer, depth, nn.LayerNorm(width), enable_nested_tensor=False)
        self.action, self.outcome = nn.Linear(width, 1), nn.Linear(width, 3)

    def forward(self, planes):
        planes = planes.flatten(2)
        hand = (planes[:, 9:17, 0] @ self.has == 4).float()  # [N, 16]
        pieces = torch.cat([self.has.expand(planes.shape[0], 8, 16), planes[:, None, 18:34, 0], hand[:, None]], 1)
        x = torch.cat([self.square(planes[:, :9].transpose(1, 2)), self.piece(pieces.transpose(1, 2))], 1) + self.tokens
        x = self.trunk(x)
        return self.action(x).flatten(1), self.outcome(x.mean(1))


class Pairs(nn.Module):
    """A vector for each pair of a piece that is left and an empty square: what would follow if that piece were placed there. The
    weights are shared over pieces and squares, so the network treats all images of a position alike. A position's counts come
    from the rules: how many pieces are safe to give after the placement, and which lines it is on. It is a small form of
    quartozero's own network (docs/networks.md)."""

    def __init__(self, width=16, depth=2):
        super().__init__()
        squares, twice = torch.arange(16), 2 * width
        diagonals = torch.stack([squares % 5 == 0, (squares % 3 == 0) & (squares % 15 > 0)]).float()
        bits = torch.stack([squares >> a & 1 for a in range(4)]).float()
        self.register_buffer("lines", torch.cat([torch.eye(4).repeat_interleave(4, 1), torch.eye(4).repeat(1, 4), diagonals]))
        self.register_buffer("has", torch.cat([bits, 1 - bits]))  # [8, 16]: which pieces have an attribute's value
        self.register_buffer("others", 1 - torch.eye(16))
        self.safe = nn.Embedding(18, width)  # the number of safe pieces; 17: the placement wins
        self.alive = nn.Embedding(5, width)  # of a line and value: the pieces on it, all of that value; 4: not all
        self.left = nn.Embedding(17, width)  # the number of pieces left
        self.own = nn.ModuleList(nn.Linear(width, twice) for _ in range(depth))
        self.rows = nn.ModuleList(nn.Linear(width, twice) for _ in range(depth))
        self.columns = nn.ModuleList(nn.Linear(twice, twice) for _ in range(depth))
        self.all = nn.ModuleList(nn.Linear(twice, twice) for _ in range(depth))
        self.back = nn.ModuleList(nn.Linear(twice, width) for _ in range(depth))

        def head(inputs, outputs):
            return nn.Sequential(nn.Linear(inputs, twice), nn.ReLU(), nn.Linear(twice, outputs))

        self.place, self.give, self.outcome = head(twice, 1), head(width, 1), head(twice, 3)

    def counts(self, empty, placed, left):
        """What the rules say of pairs [N, piece, square] and of lines and values [N, 8, 10]."""
        on = placed @ self.lines.t()
        alive = on == ((1 - empty) @ self.lines.t())[:, None]
        threes = (alive & (on == 3)).float()
        wins = (self.has.t() @ threes @ self.lines) * empty[:, None]
        # The values of a fourth piece that wins after the placement: on another line, or on one that now has three.
        elsewhere = threes.sum(2, keepdim=True) - threes @ self.lines
        made = (alive & (on == 2)).float() @ self.lines
        wanted = elsewhere[:, None] + self.has.t()[:, :, None] * made[:, None]  # [N, piece, 8, square]
        loses = torch.einsum("npvs,vq->npsq", wanted, self.has) > 0
        safe = (~loses * (left[:, None] * self.others)[:, :, None]).sum(3)
        return torch.where(wins > 0, torch.full_like(safe, 17), safe).long(), torch.where(alive, on, torch.full_like(on, 4)).long()

    def forward(self, planes):
        x = planes.flatten(2)
        empty, left, placing = x[:, 0], x[:, 18:34, 0], x[:, 17, 0, None, None]
        hand = (x[:, 9:17, 0] @ self.has == 4).float()  # [N, 16]
        held = hand.argmax(1)[:, None, None, None]
        safe, lines = self.counts(empty, x[:, 1:9], left)
        lines = self.has.t() @ self.alive(lines).permute(0, 3, 1, 2) @ self.lines  # each pair: all its values and lines
        pairs = self.safe(safe) + lines.permute(0, 2, 3, 1) + self.left(left.sum(1).long())[:, None, None]
        gone = ((left + hand)[:, :, None] * empty[:, None]) == 0
        pairs = pairs.masked_fill(gone[..., None], -1e4)  # relu makes 0 of them

        def pooled():
            r = relu(pairs)
            of_hand = r.gather(1, held.expand(-1, 1, 16, r.shape[3]))[:, 0] * placing
            rows, columns = r.sum(2) / 8, torch.cat([r.sum(1) / 8, of_hand], 2)
            return r, rows, columns, columns.mean(1)

        for own, of_row, of_column, of_all, back in zip(self.own, self.rows, self.columns, self.all, self.back):
            r, rows, columns, every = pooled()
            around = of_row(rows)[:, :, None] + of_column(columns)[:, None] + of_all(every)[:, None, None]
            pairs = pairs + back(relu(own(r) + around))
        r, rows, columns, every = pooled()
        return torch.cat([self.place(columns), self.give(rows)], 1).flatten(1), self.outcome(every)


def losses(network, planes, policy, outcomes):
    """The cross-entropies [N] of policy and outcome (0 win, 1 draw, 2 loss). The policy is over legal moves: empty squares, or
    pieces that are left."""
    actions, outcome = network(planes)
    placing = planes[:, 17, :1, 0] > 0
    logits = torch.where(placing, actions[:, :16], actions[:, 16:])
    legal = torch.where(placing, planes[:, 0].flatten(1), planes[:, 18:34, 0, 0]) > 0
    policy_loss = -(policy * log_softmax(logits.masked_fill(~legal, -1e9), 1)).sum(1)
    return policy_loss, -log_softmax(outcome, 1).gather(1, outcomes[:, None])[:, 0]


def evaluator(network):
    """The network as quartozero wants it: NumPy in, NumPy out."""

    def evaluate(planes):
        network.eval()
        with torch.no_grad():  # 64 positions at a time stay in the cache of a processor: twice as fast
            parts = [network(part) for part in torch.from_numpy(planes).split(64)]
        return [torch.cat(head).numpy() for head in zip(*parts)]

    return evaluate


def save(network, path):
    """As TorchScript, which `quartozero` plays as torchscript:PATH."""
    network.eval()
    torch.jit.trace(network, torch.zeros(2, 34, 4, 4), check_trace=False).save(path)
    print(f"{path}: play it as torchscript:{path}")
