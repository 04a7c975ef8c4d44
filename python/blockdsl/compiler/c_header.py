"""C parameters of a compiled kernel, and the header that declares the functions of backends/exports.py."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from blockdsl.backends.exports import ALIGNMENT, Argument
from blockdsl.compiler.signature import Signature
from blockdsl.language import types
from blockdsl.language.descriptor import tensor_descriptor_type

_KEYWORDS = frozenset((
    "alignas", "alignof", "and", "asm", "auto", "bool", "break", "case", "catch", "char", "class", "const",
    "constexpr", "continue", "default", "delete", "do", "double", "else", "enum", "explicit", "export", "extern",
    "false", "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "not",
    "nullptr", "operator", "or", "private", "protected", "public", "register", "restrict", "return", "short",
    "signed", "sizeof", "static", "struct", "switch", "template", "this", "throw", "true", "try", "typedef",
    "typename", "typeof", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor",
    "main", "NULL",
))  # fmt: skip
_OURS = ("grid_x", "grid_y", "grid_z", "first", "last", "scratch")

# Floats without a type in C are passed as their bits, both as elements of pointers and as numbers.
_FLOATS = {"fp32": "float", "fp64": "double"}


@dataclass(frozen=True)
class Parameter:
    """One slot of a kernel's arguments.

    Attributes:
        name: A name in C.
        type: Its type there, such as ``const float *``.
        argument: The parameter's descriptor for the function around the kernel.
        note: A comment for the prototype, or the empty string.
    """

    name: str
    type: str
    argument: Argument
    note: str = ""

    def declared(self, restrict: bool) -> str:
        """Returns the parameter's declaration in a prototype."""
        if not self.type.endswith("*"):
            return f"{self.type} {self.name}"
        return f"{self.type}{'BLOCKDSL_RESTRICT ' * restrict}{self.name}"


def is_usable(name: str) -> bool:
    """Returns whether a function in C and C++ may have this name."""
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is not None and name not in _KEYWORDS


def _unique(name: str, used: set[str]) -> str:
    name = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "argument"
    name = f"_{name}" if name[0].isdigit() else name
    while name in used or name in _KEYWORDS:
        name += "_"
    used.add(name)
    return name


def _type(scalar: types.Type) -> tuple[str, str]:
    """Returns the type in C, and a note on the contents if the type does not imply them."""
    if isinstance(scalar, types.pointer_type):
        inner, note = _type(scalar.element_ty)
        return inner + ("*" if inner.endswith("*") else " *"), note
    assert isinstance(scalar, types.dtype)
    bits = max(scalar.primitive_bitwidth, 8)
    if scalar.name in _FLOATS:
        return _FLOATS[scalar.name], ""
    if scalar.is_floating():
        return f"uint{bits}_t", f"bits of {scalar.name}"
    if scalar.name == "int1":
        return "uint8_t", "0 or 1"
    return f"{'uint' if scalar.name.startswith('uint') else 'int'}{bits}_t", ""


def parameters(signature: Signature, written: Sequence[int]) -> tuple[Parameter, ...]:
    """Returns the slots of a kernel's arguments, in order; ``written`` are the indices of those it stores through."""
    used = {*_OURS}
    names = dict(signature.places)
    found: list[Parameter] = []
    for index, part in signature.slots:
        name = names[index]
        described = tensor_descriptor_type.parse(signature.types[name])
        if described is not None:
            found.append(_of_descriptor(name, part, described, len(found) in written, used))
            continue
        scalar = types.parse(signature.types[name])
        c_type, note = _type(scalar)
        multiple = signature.divisibility.get(name, 1)
        notes = [note] * bool(note)
        if isinstance(scalar, types.pointer_type):
            c_type = c_type if len(found) in written else f"const {c_type}"
            argument = Argument(name, 0, multiple=multiple)
            notes += [f"its address is a multiple of {multiple}"] * (multiple > 1)
        else:
            argument = Argument(name, max(scalar.primitive_bitwidth, 8), signature.types[name] in _FLOATS, multiple)
            notes += [f"a multiple of {multiple}"] * (multiple > 1)
        found.append(Parameter(_unique(name, used), c_type, argument, ", ".join(notes)))
    return tuple(found)


def _of_descriptor(
    name: str, part: str, described: tensor_descriptor_type, is_written: bool, used: set[str]
) -> Parameter:
    if part == "n":
        c_type, note = _type(types.pointer_type(described.block_type.scalar))
        c_type = c_type if is_written else f"const {c_type}"
        note = ", ".join(filter(None, [note, "the array that is described by what follows"]))
        return Parameter(_unique(name, used), c_type, Argument(name, 0), note)
    which, dimension = ("extent" if part[0] == "e" else "stride"), part[1:]
    bits = 32 if part[0] == "e" else 64
    field = f"{name}_{which}_{dimension}"
    is_last = which == "stride" and int(dimension) == len(described.block_type.shape) - 1
    argument = Argument(field, bits, only=1 if is_last else None)
    return Parameter(_unique(field, used), f"int{bits}_t", argument, "1" if is_last else "in elements")


def _prototype(function: str, declared: Sequence[str]) -> str:
    """Returns a declaration with lines of at most 100 characters."""
    head = f"const char *{function}("
    lines, indent = [head], " " * len(head)
    for index, each in enumerate(declared):
        text = each + ("," if index + 1 < len(declared) else ");")
        if lines[-1] in (head, indent):
            lines[-1] += text
        elif len(lines[-1]) + len(text) + 1 > 100:
            lines.append(indent + text)
        else:
            lines[-1] += f" {text}"
    return "\n".join(lines)


def header(
    name: str, found: Sequence[Parameter], *, cpu: str, restrict: bool, scratch_bytes: int, stack_bytes: int
) -> str:
    """Returns the text of a header for C99 and C++."""
    guard = f"BLOCKDSL_{name.upper()}_H"
    grid = [f"int32_t {each}" for each in _OURS[:3]]
    declared = [parameter.declared(restrict) for parameter in found]
    notes = [f" *   {each.name}: {each.note}" for each in found if each.note]
    if restrict:
        notes.append(" *   What the kernel stores through one pointer it reaches through no other, as 'restrict' says.")
    scratch_note = f"{name.upper()}_SCRATCH_BYTES bytes of the thread's own, at a multiple of {ALIGNMENT}"
    scratch_note = scratch_note if scratch_bytes else "not used, and may be a null pointer"
    return "\n".join([
        f"/* The kernel {name}, compiled by blockdsl for {cpu}. Link its object file, and libm. */",
        f"#ifndef {guard}", f"#define {guard}", "", "#include <stdint.h>", "",
        "#ifndef BLOCKDSL_RESTRICT", "#ifdef __cplusplus", "#define BLOCKDSL_RESTRICT __restrict", "#else",
        "#define BLOCKDSL_RESTRICT restrict", "#endif", "#endif", "",
        "/* Memory that each thread needs beside its stack, and stack, in bytes. */",
        f"#define {name.upper()}_SCRATCH_BYTES {scratch_bytes}",
        f"#define {name.upper()}_STACK_BYTES {stack_bytes}", "",
        "#ifdef __cplusplus", 'extern "C" {', "#endif", "",
        "/* Runs all programs of a grid, one after the other, on the caller's thread. Returns a null pointer, or",
        " * what is wrong: an argument, before anything has run, or the first assertion of the kernel that failed;",
        " * the other programs have run then.", *notes, " */", _prototype(name, [*declared, *grid]), "",
        "/* Runs the programs first <= id < last, where id = x + grid_x * (y + grid_y * z). So threads may share",
        " * a grid.",
        f" *   scratch: {scratch_note} */",
        _prototype(f"{name}_programs", [*declared, *grid, "int64_t first", "int64_t last", "void *scratch"]), "",
        "#ifdef __cplusplus", "}", "#endif", "", "#endif", "",
    ])  # fmt: skip
