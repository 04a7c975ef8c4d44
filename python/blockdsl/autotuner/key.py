"""Keys of choices: values of the named arguments, element types of the tensors, and the device.

A reader is made once for each combination of argument types, which determine the tensors among the arguments. Readers
are specialized, as they are the additional cost of an autotuned launch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from blockdsl.language.constexpr import unwrap

Reader = Callable[[tuple[Any, ...]], tuple[Any, ...]]

# Types whose values are used as keys unchanged.
_PLAIN = (int, float, bool, str, type(None))


def _select(indices: Sequence[int]) -> Reader:
    """Returns a function that selects elements of a tuple, as a tuple."""
    if len(indices) > 1:
        return itemgetter(*indices)
    # A single index would give the element itself.
    start, end = (indices[0], indices[0] + 1) if indices else (0, 0)
    return itemgetter(slice(start, end))


def _dtypes(indices: Sequence[int]) -> Reader:
    """Returns a reader of element types. Unrolled for up to four tensors: a loop over three takes as long as the
    launch."""
    if len(indices) == 1:
        (a,) = indices
        return lambda arguments: (arguments[a].dtype,)
    if len(indices) == 2:
        a, b = indices
        return lambda arguments: (arguments[a].dtype, arguments[b].dtype)
    if len(indices) == 3:
        a, b, c = indices
        return lambda arguments: (arguments[a].dtype, arguments[b].dtype, arguments[c].dtype)
    if len(indices) == 4:
        a, b, c, d = indices
        return lambda arguments: (arguments[a].dtype, arguments[b].dtype, arguments[c].dtype, arguments[d].dtype)
    select = _select(indices)
    return lambda arguments: tuple([tensor.dtype for tensor in select(arguments)])


def _of(value: Any) -> Any:
    """Returns a value as part of a key; the shape for a tensor."""
    value = unwrap(value)
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return tuple(value.shape)
    if isinstance(value, tuple):
        return tuple(map(_of, value))
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value


def device_of(value: Any) -> str:
    """Returns a tensor's device: ``cpu``, or in torch's notation ``cuda:0``."""
    return str(getattr(value, "device", "cpu"))


def _locator(values: Sequence[Any], tensors: Sequence[int]) -> Callable[[tuple[Any, ...]], str]:
    """Returns a function that reads the device of a launch, that of its first tensor."""
    at = next((at for at in tensors if hasattr(values[at], "is_cuda")), None)
    if at is None:
        return lambda given: device_of(given[tensors[0]]) if tensors else "cpu"
    first = at

    def locate(given: tuple[Any, ...]) -> str:
        tensor = given[first]
        # Reading torch's flag takes half the time of reading the device.
        return str(tensor.device) if tensor.is_cuda else "cpu"

    return locate


def reader(values: Sequence[Any], names: Sequence[str], keys: Sequence[str]) -> Reader:
    """Returns a function that reads the key from arguments of the same types.

    Args:
        values: Arguments, in the order of the call.
        names: Their parameters; that of ``*args`` is repeated for each of its arguments.
        keys: The parameters whose values are part of the key.
    """
    # Sorted by name, so that the order of keyword arguments makes no difference.
    tensors = [at for _, at in sorted((name, at) for at, name in enumerate(names)) if hasattr(values[at], "dtype")]
    matches = [[at for at, name in enumerate(names) if name == key] for key in keys if key in names]
    chosen = [indices[0] for indices in matches]
    # An omitted argument has its default, which is the same in every launch with these arguments.
    missing = tuple(name for name in keys if name not in names)
    select, dtypes, locate = _select(chosen), _dtypes(tensors), _locator(values, tensors)

    if len(chosen) != sum(map(len, matches)):
        parts = [(_select(indices), len(indices) > 1) for indices in matches]
        return lambda given: (
            *(_of(part(given) if is_many else part(given)[0]) for part, is_many in parts),
            *missing, *dtypes(given), locate(given),
        )  # fmt: skip
    if all(isinstance(values[at], _PLAIN) for at in chosen):
        return lambda given: (*select(given), *missing, *dtypes(given), locate(given))
    return lambda given: (*map(_of, select(given)), *missing, *dtypes(given), locate(given))
