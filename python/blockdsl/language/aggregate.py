"""Classes of values in kernels: ``@blockdsl.aggregate``.

An instance is a tuple of its fields, so that loops, ifs and calls treat it like any tuple.
"""

from __future__ import annotations

import inspect
from typing import Any

from ..errors import TypeMismatchError, expects
from .constexpr import ConstexprFunction, constexpr, unwrap
from .op import Emitter, current_mode, op
from .shape import as_tensor
from .tensor import tensor


class Known:
    """The value of a compile-time field, which stays constant in loops."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and bool(self.value == other.value)

    def __hash__(self) -> int:
        return hash((Known, self.value))

    def __repr__(self) -> str:
        return repr(self.value)


class BoundMethod:
    """A method bound to an instance."""

    _is_compile_time = True

    def __init__(self, function: Any, owner: Any) -> None:
        self.function = function
        self.owner = owner

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(self.owner, *args, **kwargs)


class Method:
    """A jit function or ``constexpr_function`` in a class."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __get__(self, owner: Any, kind: Any) -> Any:
        return self.function if owner is None else BoundMethod(self.function, owner)


class Field:
    """A field of a class."""

    def __init__(self, index: int) -> None:
        self.index = index

    def __get__(self, owner: Any, kind: Any) -> Any:
        found = self if owner is None else tuple.__getitem__(owner, self.index)
        return found.value if isinstance(found, Known) else found


class Aggregate(tuple[Any, ...]):
    """The base of aggregate classes."""

    _fields: tuple[str, ...] = ()
    _kinds: tuple[Any, ...] = ()
    # The decorated class, for the cache key of kernels.
    _origin: type = object
    _initialize: Any = None

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        values = cls._initialize(*args, **kwargs)
        return cls._make([_held(cls, *each, values) for each in zip(cls._fields, cls._kinds, strict=True)])

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Does nothing: ``__new__`` sets the fields."""

    @classmethod
    def _make(cls, items: Any) -> Any:
        return tuple.__new__(cls, items)

    def __repr__(self) -> str:
        fields = (f"{name}={tuple.__getitem__(self, at)!r}" for at, name in enumerate(self._fields))
        return f"{type(self).__name__}({', '.join(fields)})"


def _held(cls: type, name: str, kind: Any, values: dict[str, Any]) -> Any:
    """Returns a field's value as an element of the tuple."""
    expects(name in values, f"'{cls.__name__}' expects a value for the field '{name}', got none",
            hint="set it in __init__, or give it a default")  # fmt: skip
    value = unwrap(values[name])
    if kind == "constexpr":
        expects(not isinstance(value, tensor), f"'{cls.__name__}' expects the field '{name}' to be known when the "
                f"kernel is compiled, got {getattr(value, 'type', value)}")  # fmt: skip
        return Known(value)
    if kind == "tensor":
        mode = current_mode()
        if isinstance(value, (bool, int, float)) and mode is not None:
            return as_tensor(mode, value)
        kind = tensor
    expects(not isinstance(kind, type) or isinstance(value, kind),
            f"'{cls.__name__}' expects the field '{name}' to be {getattr(kind, '__name__', kind)}, got "
            f"{getattr(value, 'type', None) or repr(value)}")  # fmt: skip
    return value if isinstance(value, (tensor, tuple)) else Known(value)


def _kind(annotation: Any) -> Any:
    """Returns the kind of a field: ``tensor``, ``constexpr``, or a class."""
    name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    name = name.strip("'\" ").rsplit(".", 1)[-1]
    return name if name in ("tensor", "constexpr") else annotation


class _Scratch:
    """The class of ``self`` while ``__init__`` runs."""


def _by_init(initialize: Any) -> Any:
    def values(*args: Any, **kwargs: Any) -> dict[str, Any]:
        made = _Scratch()
        initialize(made, *args, **kwargs)
        return dict(vars(made))

    return values


def _by_fields(name: str, fields: tuple[str, ...], defaults: dict[str, Any]) -> Any:
    kind, empty = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
    signature = inspect.Signature([inspect.Parameter(each, kind, default=defaults.get(each, empty)) for each in fields])

    def values(*args: Any, **kwargs: Any) -> dict[str, Any]:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeMismatchError(f"'{name}' {error}", hint=f"its fields are {', '.join(fields)}") from None
        bound.apply_defaults()
        return dict(bound.arguments)

    return values


def _is_jit(value: Any) -> bool:
    return isinstance(value, ConstexprFunction) or hasattr(getattr(value, "source", None), "function")


def aggregate(cls: type) -> Any:
    """Makes a class usable in kernels. Its fields are its annotated attributes.

    A field is declared as ``tl.tensor``, as ``tl.constexpr`` for compile-time values, or as another class. ``__init__``
    is a ``constexpr_function``; by default its parameters are the fields. Methods are jit functions or
    ``constexpr_function``s. Instances are immutable: ``tl.aggregate_replace`` makes new ones.

    Example:
        @blockdsl.aggregate
        class Running:
            total: tl.tensor
            factor: tl.constexpr

            @blockdsl.jit
            def add(self, x):
                return Running(self.total + x * self.factor, self.factor)
    """
    annotations: dict[str, Any] = {}
    members: dict[str, Any] = {}
    for kind in reversed(cls.__mro__[:-1]):
        origin = vars(kind).get("_origin", kind)
        if kind in (Aggregate, tuple):
            continue
        annotations |= vars(origin).get("__annotations__", {})
        members |= {name: value for name, value in vars(origin).items() if name not in ("__dict__", "__weakref__")}
    fields = tuple(annotations)
    defaults = {name: members.pop(name) for name in fields if name in members}
    initialize = members.pop("__init__", None)
    space = {name: Method(value) if _is_jit(value) else value for name, value in members.items()}
    space |= {name: Field(index) for index, name in enumerate(fields)}
    space["_fields"], space["_kinds"] = fields, tuple(map(_kind, annotations.values()))
    found = _by_fields(cls.__name__, fields, defaults) if initialize is None else _by_init(initialize)
    space["_origin"], space["_initialize"] = cls, staticmethod(found)
    return type(cls.__name__, (Aggregate,), space)


@op()
def aggregate_replace(instance: Any, **changes: Any) -> Any:
    """An instance of an aggregate class with some of its fields replaced.

    Args:
        instance: The instance with the values of the other fields.
        changes: New values of fields, by name.

    Raises:
        TypeMismatchError: It is no instance of an aggregate class, or does not have the field.

    Example:
        state = tl.aggregate_replace(state, total=state.total + x)
    """


def _replaced(e: Any, instance: Any, changes: dict[str, Any]) -> Any:
    expects(isinstance(instance, Aggregate), "'aggregate_replace' expects an instance of an aggregate class, got "
            f"{getattr(instance, 'type', None) or repr(instance)}")  # fmt: skip
    for name in changes:
        expects(name in instance._fields, f"'{type(instance).__name__}' has no field '{name}'",
                hint=f"its fields are {', '.join(instance._fields)}")  # fmt: skip
    values = []
    for index, (name, kind) in enumerate(zip(instance._fields, instance._kinds, strict=True)):
        old = tuple.__getitem__(instance, index)
        values.append(_held(type(instance), name, kind, changes) if name in changes else old)
    return instance._make(values)


@aggregate_replace.emit
def _emit_replace(e: Emitter, instance: Any, changes: dict[str, Any]) -> Any:
    return _replaced(e, instance, changes)


@aggregate_replace.reference
def _reference_replace(e: Any, instance: Any, changes: dict[str, Any]) -> Any:
    return _replaced(e, instance, changes)


def captured_of(value: Any) -> dict[str, Any]:
    """Returns the functions of an aggregate class, and its fields as a compile-time value; empty for other values."""
    if not (isinstance(value, type) and issubclass(value, Aggregate)):
        return {}
    found: dict[str, Any] = {}
    for kind in value._origin.__mro__[:-1]:
        for name, member in vars(vars(kind).get("_origin", kind)).items():
            plain = member.__func__ if isinstance(member, staticmethod) else member
            if _is_jit(plain):
                found.setdefault(name, plain)
            elif inspect.isfunction(plain):
                found.setdefault(name, ConstexprFunction(plain))
    return {**found, "fields": constexpr(repr(dict(zip(value._fields, value._kinds, strict=True))))}
