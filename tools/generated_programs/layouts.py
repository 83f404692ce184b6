"""Chains of permutations, views, slices, joins and gathers, with arithmetic in between."""

import torch
from torch import nn

from generated_programs.pick import grow
from program_export import Spec


def permutation(pick, x):
    order = pick.sample(range(x.dim()), x.dim())
    return lambda v: v.permute(order)


def reshaping(pick, x):
    count, sizes = x.numel(), []
    while count > 1 and len(sizes) < 4 and pick.chance(0.75):
        factor = pick.choice([f for f in range(1, count + 1) if count % f == 0])
        sizes.append(factor)
        count //= factor
    sizes.append(count)
    return lambda v: v.reshape(sizes)


def slicing(pick, x):
    dim = pick.randrange(x.dim())
    start = pick.randint(0, x.shape[dim] - 1)
    stop, step = pick.randint(start + 1, x.shape[dim]), pick.choice([1, 1, 2, 3])
    index = (slice(None),) * dim + (slice(start, stop, step),)
    return lambda v: v[index]


def selection(pick, x):
    dim = pick.randrange(x.dim())
    place = pick.randint(-x.shape[dim], x.shape[dim] - 1)
    return lambda v: v.select(dim, place)


def split_and_join(pick, x):
    dim, other = pick.randrange(x.dim()), pick.randrange(x.dim())
    size = pick.randint(1, x.shape[dim])
    reverse = pick.chance(0.5)

    def step(v):
        parts = list(v.split(size, dim))
        if reverse:
            parts.reverse()
        last = parts[-1].shape[dim]
        return torch.cat(parts, dim) if last != size else torch.cat(parts, other)

    return step


def chunk_and_stack(pick, x):
    dim = pick.choice([d for d in range(x.dim()) if x.shape[d] % 2 == 0])
    at, swap = pick.randint(0, x.dim()), pick.chance(0.5)
    return lambda v: torch.stack(v.chunk(2, dim)[:: -1 if swap else 1], at)


def expansion(pick, x):
    dim, count = pick.randint(0, x.dim()), pick.randint(2, 4)
    return lambda v: v.unsqueeze(dim).expand(*v.shape[:dim], count, *v.shape[dim:])


def squeezing(pick, x):
    dims = [d for d in range(x.dim()) if x.shape[d] == 1]
    if dims:
        return lambda v: v.squeeze(dims[0])
    dim = pick.randint(0, x.dim())
    return lambda v: v.unsqueeze(dim)


def rearrangement(pick, x):
    dim = pick.randrange(x.dim())
    return pick.choice([
        lambda v: v.flip(dim), lambda v: v.roll(1, dim), lambda v: v.transpose(dim, 0), lambda v: torch.cat([v, v], dim),
        lambda v: v.repeat(*[2 if d == dim else 1 for d in range(v.dim())]), lambda v: v.contiguous(), lambda v: v.clone(),
        lambda v: nn.functional.pad(v, (1, 2)), lambda v: v.flatten(0, max(0, v.dim() - 2)), lambda v: v.unfold(dim, 2, 1),
        lambda v: v.narrow(dim, 0, max(1, v.shape[dim] - 1)), lambda v: torch.cat([v.narrow(dim, 0, 1), v], dim),
    ])  # fmt: skip


class Gathered(nn.Module):
    """Constant places along a dimension."""

    def __init__(self, pick, x):
        super().__init__()
        self.dim, self.along = pick.randrange(x.dim()), pick.chance(0.5)
        count = pick.randint(1, x.shape[self.dim])
        shape = [count if d == self.dim else size for d, size in enumerate(x.shape)] if self.along else [count]
        self.register_buffer("places", torch.randint(0, x.shape[self.dim], shape))

    def forward(self, v):
        return v.gather(self.dim, self.places) if self.along else v.index_select(self.dim, self.places)


class Scaled(nn.Module):
    """A product with, and a sum of, constants that broadcast."""

    def __init__(self, pick, x):
        super().__init__()
        self.weight = nn.Parameter(torch.randn([size if pick.chance(0.5) else 1 for size in x.shape]))
        self.step = pick.choice([torch.mul, torch.add, torch.maximum, lambda a, b: (a - b).tanh(), lambda a, b: torch.relu(a + b)])

    def forward(self, v):
        return self.step(v, self.weight)


class Product(nn.Module):
    """A product over the last dim, with a matrix or a stack of them, from either side."""

    def __init__(self, pick, x):
        super().__init__()
        batch = list(x.shape[:-2]) if pick.chance(0.3) else []
        self.left = x.dim() > 1 and pick.chance(0.3)
        inner = x.shape[-2 if self.left else -1]
        shape = [pick.width(20), inner] if self.left else [inner, pick.width(20)]
        self.weight = nn.Parameter(torch.randn(*batch, *shape) / inner**0.5)

    def forward(self, v):
        return self.weight @ v if self.left else v @ self.weight


class Selfish(nn.Module):
    """A value meets its own transpose or a shifted copy of itself."""

    def __init__(self, pick, x):
        super().__init__()
        self.product, self.dim = x.dim() >= 2 and pick.chance(0.5), pick.randrange(x.dim())

    def forward(self, v):
        if self.product:
            return (v @ v.transpose(-1, -2)).tanh()
        return v + v.roll(1, self.dim) * 0.5


VIEWS = [permutation, permutation, reshaping, reshaping, slicing, selection, split_and_join, chunk_and_stack, expansion, squeezing,
         rearrangement, rearrangement, Gathered]  # fmt: skip


def start(pick, dtype=torch.float32):
    shape = pick.shape(pick.randint(1, 5), 1500)
    make = lambda: (torch.randint(-9, 9, shape).to(dtype) if not dtype.is_floating_point else torch.randn(shape, dtype=dtype),)
    return [make(), make()]


def view_chain(pick):
    calls = start(pick, pick.choice([torch.float32, torch.float16, torch.int64, torch.int32, torch.int8, torch.float64]))
    steps, _ = grow(pick, calls[0][0], VIEWS, pick.randint(4, 14), limit=20000)
    return Spec(steps, calls[0], calls)


def view_arithmetic(pick):
    calls = start(pick)
    steps, _ = grow(pick, calls[0][0], [*VIEWS, *[Scaled, Product, Selfish] * 3], pick.randint(5, 14), limit=20000)
    return Spec(steps, calls[0], calls)


class Outputs(nn.Module):
    """Steps whose values in between are outputs too, beside views of the input and constants."""

    def __init__(self, pick, steps, x):
        super().__init__()
        self.body, self.register = steps, pick.sample(range(len(steps.steps)), min(2, len(steps.steps)))
        self.table = nn.Parameter(torch.randn(3, 4))
        self.extras = pick.sample(
            [lambda x, y, t: x, lambda x, y, t: x.flatten(), lambda x, y, t: t * 1, lambda x, y, t: t.t(), lambda x, y, t: y.unsqueeze(0),
             lambda x, y, t: y, lambda x, y, t: x.transpose(0, -1), lambda x, y, t: t[1:]], pick.randint(1, 4))  # fmt: skip

    def forward(self, x):
        outputs, y = [], x
        for number, step in enumerate(self.body.steps):
            y = step(y)
            if number in self.register:
                outputs.append(y)
        return (*outputs, y.relu() if y.dtype.is_floating_point else y, *[extra(x, y, self.table) for extra in self.extras])


def many_outputs(pick):
    calls = start(pick)
    steps, _ = grow(pick, calls[0][0], [*VIEWS, Scaled, Product, Selfish], pick.randint(3, 8), limit=20000)
    return Spec(Outputs(pick, steps, calls[0][0]), calls[0], calls)


FAMILIES = [view_chain, view_arithmetic, many_outputs]
