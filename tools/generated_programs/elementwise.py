"""Random expressions: broadcasting, several dtypes, comparisons and logic, integers, half-precision islands."""

import torch
from torch import nn

from program_export import Spec

# Magnitudes stay moderate, and where a function jumps, rounding of its operand must not decide.
FLOAT_UNARY = [
    torch.relu, torch.sigmoid, torch.tanh, torch.sin, torch.cos, torch.erf, torch.neg, torch.abs, torch.exp,
    lambda x: x.clamp(-1, 1).exp(), lambda x: (x.abs() + 0.5).log(), lambda x: (x.abs() + 0.1).sqrt(),
    lambda x: (x.abs() + 0.3).rsqrt(), lambda x: (x.abs() + 0.4).reciprocal(), lambda x: x * x, lambda x: 1 - x, lambda x: x / 3,
    lambda x: 2 / (x.abs() + 1), lambda x: x.clamp(-0.7, 0.9), lambda x: x.clamp(min=0.1), lambda x: torch.nn.functional.gelu(x),
    lambda x: torch.nn.functional.silu(x), lambda x: x.pow(2), lambda x: (x.abs() + 0.1).pow(0.7), lambda x: x.atan(),
    lambda x: torch.nn.functional.leaky_relu(x, 0.2), lambda x: x.expm1(), lambda x: (x.abs()).log1p(), lambda x: x.sinh().tanh(),
    lambda x: torch.full_like(x, 0.25) + x, lambda x: x.detach().clone(), lambda x: x.masked_fill(x > 0.317, 0.125),
]  # fmt: skip
FLOAT_BINARY = [
    torch.add, torch.sub, torch.mul, torch.maximum, torch.minimum, lambda a, b: a / (b.abs() + 0.5), lambda a, b: torch.add(a, b, alpha=0.5),
    lambda a, b: torch.sub(a, b, alpha=2), lambda a, b: torch.atan2(a, b.abs() + 0.2), lambda a, b: (a.abs() + 0.1).pow(b.clamp(-1, 1)),
    lambda a, b: torch.rsub(a, b), lambda a, b: torch.where(a > b, a, b * 0.5), lambda a, b: (a.sigmoid() * b).tanh(),
]  # fmt: skip
INT_UNARY = [
    lambda x: x * 3 - 1, lambda x: x // 3, lambda x: x % 5, torch.abs, torch.neg, lambda x: x & 6, lambda x: x | 1, lambda x: x ^ 5,
    lambda x: ~x, lambda x: x << 1, lambda x: x >> 1, lambda x: x.clamp(-4, 9), lambda x: torch.div(x, 4, rounding_mode="trunc"),
    lambda x: torch.remainder(x, -3), lambda x: torch.fmod(x, 4),
]  # fmt: skip
INT_BINARY = [torch.add, torch.sub, torch.mul, torch.maximum, torch.minimum, lambda a, b: a // (b.abs() + 1), lambda a, b: a & b,
              lambda a, b: torch.where(a < b, a, b), lambda a, b: torch.bitwise_xor(a, b)]  # fmt: skip
COMPARE = [torch.gt, torch.lt, torch.ge, torch.le, torch.ne, torch.eq]
LOGIC = [torch.logical_and, torch.logical_or, torch.logical_xor, lambda a, b: a & b, lambda a, b: a | ~b, lambda a, b: a != b]


def is_float(x):
    return x.dtype.is_floating_point


class Expression(nn.Module):
    """A random sequence of operations over a pool of values that starts with the inputs and some constants."""

    def __init__(self, pick, examples, length):
        super().__init__()
        self.count, self.recipe = len(examples), []
        constants = [torch.randn(pick.choice(examples).shape[-1:] or (1,)), torch.randint(-5, 6, (1,))]
        for i, constant in enumerate(constants):
            self.register_buffer(f"constant{i}", constant)
        pool = [*examples, *constants]
        while len(self.recipe) < length:
            step = self.choose(pick, pool)
            try:
                value = step[0](*[pool[i] for i in step[1]])
            except RuntimeError:
                continue
            if value.numel() > 20000 or (is_float(value) and not bool(value.isfinite().all() and value.abs().max() < 1e3)):
                continue
            self.recipe.append(step)
            pool.append(value)
        made = range(self.count + len(constants), len(pool))
        used = {i for _, operands in self.recipe for i in operands}
        self.outputs = [i for i in made if i not in used]
        self.outputs += pick.sample([i for i in made if i in used], min(pick.randint(0, 2), len(made) - len(self.outputs)))

    @staticmethod
    def choose(pick, pool):
        """(function, operand numbers); late values are preferred, so that chains become long."""
        a = len(pool) - 1 - min(int(pick.expovariate(0.5)), len(pool) - 1)
        b = pick.randrange(len(pool))
        x, y = pool[a], pool[b]
        if x.dtype == torch.bool:
            same = [i for i, v in enumerate(pool) if v.dtype == torch.bool]
            arms = [i for i, v in enumerate(pool) if is_float(v)]
            kind = pick.choice(["logic", "where", "cast", "not"])
            if kind == "logic":
                return pick.choice(LOGIC), [a, pick.choice(same)]
            if kind == "where" and arms:
                return torch.where, [a, pick.choice(arms), pick.choice(arms)]
            return (torch.logical_not if kind == "not" else lambda v: v.float()), [a]
        if pick.chance(0.15) and x.dtype == y.dtype:
            return pick.choice(COMPARE), [a, b]
        if pick.chance(0.07):
            target = pick.choice([torch.int64, torch.int32] if not is_float(x) else [torch.float32, torch.float64])
            return (lambda v, target=target: v.to(target)), [a]
        if not is_float(x):
            if pick.chance(0.2):
                return (lambda v: v.float() * 0.125), [a]
            ints = [i for i, v in enumerate(pool) if not is_float(v) and v.dtype != torch.bool]
            return (pick.choice(INT_UNARY), [a]) if pick.chance(0.4) else (pick.choice(INT_BINARY), [a, pick.choice(ints)])
        if pick.chance(0.4) or y.dtype == torch.bool:
            return pick.choice(FLOAT_UNARY), [a]
        return pick.choice(FLOAT_BINARY), [a, b] if pick.chance(0.5) or not is_float(y) else [b, a]

    def forward(self, *inputs):
        pool = [*inputs, self.constant0, self.constant1]
        for function, operands in self.recipe:
            pool.append(function(*[pool[i] for i in operands]))
        return tuple(pool[i] for i in self.outputs)


def values(pick, shape, kind):
    if kind == "float":
        return torch.randn(shape)
    if kind == "double":
        return torch.randn(shape, dtype=torch.float64)
    return torch.rand(shape) > 0.5 if kind == "bool" else torch.randint(-20, 21, shape, dtype={"int": torch.int64, "int32": torch.int32}[kind])


def broadcastable(pick, shape):
    """The shape with some dims made 1 or left out in front."""
    shape = [1 if pick.chance(0.25) else size for size in shape]
    return shape[pick.randint(0, len(shape) - 1) :] if pick.chance(0.4) else shape


def expression_of(pick, kinds, lengths):
    shape = pick.shape(pick.randint(1, 5))
    shapes = [shape] + [broadcastable(pick, shape) for _ in range(pick.randint(1, 3))]
    kinds = [pick.choice(kinds) for _ in shapes]
    calls = [tuple(values(pick, s, k) for s, k in zip(shapes, kinds)) for _ in range(2)]
    return Spec(Expression(pick, calls[0], pick.randint(*lengths)), calls[0], calls)


def float_expression(pick):
    return expression_of(pick, ["float"], (5, 30))


def mixed_expression(pick):
    return expression_of(pick, ["float", "int", "bool", "int32", "double"], (6, 25))


class HalfIsland(nn.Module):
    """Single precision around a part in half or bfloat16."""

    def __init__(self, pick, width, dtype):
        super().__init__()
        self.dtype, self.norm = dtype, nn.LayerNorm(width)
        self.weight = nn.Parameter((torch.randn(width, pick.width(30)) / width**0.5).to(dtype))
        self.steps = [pick.choice([torch.relu, torch.tanh, torch.sigmoid, lambda x: x * 0.5 + 1, lambda x: x - x.mean(-1, keepdim=True),
                                   lambda x: x.softmax(-1), torch.abs]) for _ in range(pick.randint(1, 5))]  # fmt: skip
        self.stay = pick.chance(0.3)

    def forward(self, x):
        y = self.norm(x).to(self.dtype)
        y = y @ self.weight
        for step in self.steps:
            y = step(y)
        return y if self.stay else (y.float() * 2).tanh()


def half_island(pick):
    width, dtype = pick.width(40), pick.choice([torch.float16, torch.bfloat16])
    calls = [(torch.randn(pick.randint(1, 9), width),)]
    # Roundings to the narrow type differ where sums are added in another order.
    return Spec(HalfIsland(pick, width, dtype), calls[0], calls, tolerance=2e-2 if dtype == torch.bfloat16 else 4e-3)


def expression_dynamic(pick):
    """Two inputs that share a dimension of changing size."""
    inner = pick.shape(pick.randint(0, 2), 60)
    make = lambda n: (torch.randn(n, *inner), torch.randn(*broadcastable(pick, inner)) if inner else torch.randn(n))
    state = pick.getstate()
    calls = []
    for n in (5, 1, 9, 5):
        pick.setstate(state)
        calls.append(make(n))
    rows = torch.export.Dim("rows", min=1, max=9)
    second = {0: rows} if not inner else None
    module = Expression(pick, calls[0], pick.randint(4, 16))
    return Spec(module, calls[0], calls, dynamic_shapes=(({0: rows}, second),))


FAMILIES = [float_expression, mixed_expression, half_island, expression_dynamic]
