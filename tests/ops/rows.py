"""The registered operators, and which PyTorch overloads compute the same."""

import re
from dataclasses import dataclass, field

import torch

from ops import references

# Rows whose functional form carries another name than the row without "_copy".
_OTHER_NAMES = {
    "lift_fresh_copy": ["lift_fresh"],
    "view_copy": ["_reshape_alias"],
}
# Random or undefined values: handwritten samples judge them by other means than PyTorch's values.
_NOT_REPRODUCIBLE = {
    "rand", "randn", "rand_like", "randn_like", "randint", "randint_like", "randperm", "uniform", "normal", "exponential",
    "geometric", "cauchy", "log_normal", "bernoulli", "multinomial", "native_dropout",
    "empty", "empty_strided", "empty_permuted", "new_empty_strided", "_empty_dim_order",
}  # fmt: skip
_OPTIONS = ("dtype", "layout", "device", "pin_memory", "requires_grad")


def _kind(argument) -> str:
    """The type of an argument without what does not matter to a call."""
    return re.sub(r"\(.*?\)", "", str(argument.type)).replace("SymInt", "int")


@dataclass
class Row:
    """One registered operator."""

    name: str
    schema: object
    twin: object = None  # the PyTorch overload, or reference, that computes the same without outs
    exact: list = field(default_factory=list)  # overloads with the same arguments
    scalarised: list = field(default_factory=list)  # overloads with a tensor where the row has a number

    @property
    def namespace(self) -> str:
        return self.name.split("::")[0]

    @property
    def base(self) -> str:
        """The name without namespace and overload."""
        return self.name.split("::")[1].split(".")[0]

    @property
    def arguments(self) -> list:
        return self.schema.arguments

    @property
    def outs(self) -> list:
        return [a for a in self.arguments if a.is_out]

    @property
    def inputs(self) -> list:
        return [a for a in self.arguments if not a.is_out]

    @property
    def reproducible(self) -> bool:
        return self.base not in _NOT_REPRODUCIBLE

    @property
    def draws_indices(self) -> bool:
        """Random operators whose results have one type, whatever the type of the operand."""
        return self.base == "multinomial"

    @property
    def copies_a_view(self) -> bool:
        return self.base.endswith("_copy") and self.base not in ("_to_copy", "narrow_copy")


def is_written(argument) -> bool:
    return argument.alias_info is not None and argument.alias_info.is_write


def _packet_names(row: Row) -> list[str]:
    names = [row.base, row.base.rstrip("_"), row.base.rstrip("_") + "_"]
    if row.base.endswith("_copy"):
        names.append(row.base.removesuffix("_copy"))
    return names + _OTHER_NAMES.get(row.base, [])


def _compare_arguments(row: Row, overload) -> str | None:
    """"exact", "scalarised" or None."""
    theirs = [a for a in overload._schema.arguments if not a.is_out]
    names = {a.name for a in row.inputs}
    theirs = [a for a in theirs if a.name in names or a.name not in _OPTIONS]
    if len(theirs) != len(row.inputs) or any(a.is_out for a in overload._schema.arguments):
        return None
    result = "exact"
    for ours, other in zip(row.inputs, theirs):
        if ours.name != other.name:
            return None
        if _kind(ours) == _kind(other):
            continue
        if _kind(ours) in ("number", "Optional[number]") and "Tensor" in _kind(other):
            result = "scalarised"
        else:
            return None
    return result


def _find_overloads(row: Row) -> None:
    for name in dict.fromkeys(_packet_names(row)):
        packet = getattr(torch.ops.aten, name, None)
        if packet is None:
            continue
        for overload_name in packet.overloads():
            overload = getattr(packet, overload_name)
            relation = _compare_arguments(row, overload)
            if relation == "exact":
                row.exact.append(overload)
            elif relation == "scalarised":
                row.scalarised.append(overload)
    in_place = any(is_written(a) for a in row.inputs)
    if in_place:
        row.exact = [overload for overload in row.exact if overload._schema.is_mutable]
    row.twin = next((overload for overload in row.exact if overload._schema.is_mutable == in_place), None)


def parse_rows(schemas: dict[str, str | None]) -> dict[str, Row]:
    """Rows by name, from what the library says of itself."""
    rows = {}
    for name, text in schemas.items():
        if text is None:
            continue
        row = Row(name, torch._C.parse_schema(name.removesuffix(".default") + text))
        if row.namespace == "aten":
            _find_overloads(row)
        else:
            row.twin = references.find(name)
        rows[name] = row
    return rows


def option_values(overload, bound: dict) -> dict:
    """The tensor options (dtype) of a call: the row has none, its out says them."""
    names = {a.name for a in overload._schema.arguments}
    return {name: bound[name] for name in _OPTIONS if name in names and bound.get(name) is not None}


def bind(overload, args: tuple, kwargs: dict) -> dict:
    """A call's arguments by name, defaults filled in."""
    bound = {}
    for i, argument in enumerate(overload._schema.arguments):
        if i < len(args):
            bound[argument.name] = args[i]
        elif argument.name in kwargs:
            bound[argument.name] = kwargs[argument.name]
        else:
            bound[argument.name] = argument.default_value
    return bound
