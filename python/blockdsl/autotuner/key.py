"""For which launches a choice holds: values of the named arguments, element types of the tensors, and the device.

Which arguments are tensors is told by their types, so that a launch looks at the elements' types of these only; the
readers are what an autotuned launch costs more than a plain one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from blockdsl.language.constexpr import unwrap

Reader = Callable[[tuple[Any, ...]], tuple[Any, ...]]

# Types whose values are their own key.
_PLAIN = (int, float, bool, str, type(None))


def _select(places: Sequence[int]) -> Reader:
    """Takes some elements of a tuple, as a tuple."""
    if len(places) > 1:
        return itemgetter(*places)
    # Alone, an index would give the element itself.
    start, end = (places[0], places[0] + 1) if places else (0, 0)
    return itemgetter(slice(start, end))


def _dtypes(places: Sequence[int]) -> Reader:
    """Element types. Written out for the usual numbers of tensors: a loop over three takes as long as the launch."""
    if len(places) == 1:
        (a,) = places
        return lambda given: (given[a].dtype,)
    if len(places) == 2:
        a, b = places
        return lambda given: (given[a].dtype, given[b].dtype)
    if len(places) == 3:
        a, b, c = places
        return lambda given: (given[a].dtype, given[b].dtype, given[c].dtype)
    if len(places) == 4:
        a, b, c, d = places
        return lambda given: (given[a].dtype, given[b].dtype, given[c].dtype, given[d].dtype)
    select = _select(places)
    return lambda given: tuple([tensor.dtype for tensor in select(given)])


def _of(value: Any) -> Any:
    """A value as a part of a key; a tensor counts by its shape."""
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
    """Where a tensor is: ``cpu``, or as torch says it, ``cuda:0``."""
    return str(getattr(value, "device", "cpu"))


def _locator(values: Sequence[Any], tensors: Sequence[int]) -> Callable[[tuple[Any, ...]], str]:
    """How the device of a launch is read: it is where its first tensor is."""
    at = next((at for at in tensors if hasattr(values[at], "is_cuda")), None)
    if at is None:
        return lambda given: device_of(given[tensors[0]]) if tensors else "cpu"
    first = at

    def locate(given: tuple[Any, ...]) -> str:
        tensor = given[first]
        # Asking torch for a flag takes half the time of asking for a device.
        return str(tensor.device) if tensor.is_cuda else "cpu"

    return locate


def reader(values: Sequence[Any], names: Sequence[str], keys: Sequence[str]) -> Reader:
    """How the key is read from arguments of the types that these have.

    Args:
        values: Arguments, in the order of the call.
        names: Their parameters; that of ``*args`` as often as it has arguments.
        keys: The parameters whose values count.
    """
    # By name: the order of keyword arguments makes no difference.
    tensors = [at for _, at in sorted((name, at) for at, name in enumerate(names)) if hasattr(values[at], "dtype")]
    taken = [[at for at, name in enumerate(names) if name == key] for key in keys if key in names]
    chosen = [places[0] for places in taken]
    # An argument that is left out has its default, which is the same in every launch of this form.
    missing = tuple(name for name in keys if name not in names)
    select, dtypes, locate = _select(chosen), _dtypes(tensors), _locator(values, tensors)

    if len(chosen) != sum(map(len, taken)):
        parts = [(_select(places), len(places) > 1) for places in taken]
        return lambda given: (
            *(_of(part(given) if is_many else part(given)[0]) for part, is_many in parts),
            *missing, *dtypes(given), locate(given),
        )  # fmt: skip
    if all(isinstance(values[at], _PLAIN) for at in chosen):
        return lambda given: (*select(given), *missing, *dtypes(given), locate(given))
    return lambda given: (*map(_of, select(given)), *missing, *dtypes(given), locate(given))
