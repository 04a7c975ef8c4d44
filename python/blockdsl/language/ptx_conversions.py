"""`cvt` of PTX for the interpreter. ptx_minifloats.py has the formats of 8 bits and less, and random roundings."""

from __future__ import annotations

from . import types
from .cast import cast
from .ptx_lanes import Block, Lanes
from .ptx_minifloats import decoded, encoded, limited_to_finite, rounded_to_tf32, scale_of
from .ptx_rounding import WHOLES, rectified, saturated
from .select import maximum, minimum


def convert(lane: Block, to: Lanes, origin: Lanes, words: list[str], random: Block | None) -> Block | None:
    """Converts a lane as ``cvt`` with these modifiers does. Returns None for unsupported conversions.

    ``random`` has the random bits of the rounding ``rs``.
    """
    flags = {"satfinite", "sat", "relu"} & set(words)
    finite, clamped, positive = (word in flags for word in ("satfinite", "sat", "relu"))
    roundings = [word for word in words if word not in (*flags, "ftz")]
    rounding = "".join(roundings)
    if len(roundings) > 1 or not _allowed(flags, to, origin) or (rounding == "rs") != (random is not None):
        return None
    if to.is_bits or origin.is_bits or origin.name == "tf32":
        return None
    if origin.is_minifloat or origin.is_scale:
        half_type = "bf16x2" if origin.is_scale else "f16x2"
        if rounding != "rn" or to.name != half_type or (positive and origin.is_scale):
            return None
        return rectified(decoded(lane, origin)) if positive else decoded(lane, origin)
    if to.is_scale:
        return scale_of(lane, origin, rounding, finite)
    if positive and origin.is_float and origin.width >= 16:
        lane = rectified(lane)
    if to.name == "tf32":
        return rounded_to_tf32(lane, rounding, finite) if origin.name == "f32" else None
    if random is not None:
        return encoded(lane, to, finite, random) if origin.name == "f32" else None
    if to.is_minifloat:
        if not origin.is_float or origin.width not in (16, 32) or rounding != "rn":
            return None
        return encoded(cast(lane, types.float32), to, finite, None)
    if not to.is_float:
        if origin.is_float:
            whole = WHOLES.get(rounding)
            return cast(whole(cast(lane, types.float64)), to.element) if whole else None
        return cast(_limited(lane, to, origin) if clamped else lane, to.element) if not rounding else None
    if not origin.is_float:
        result = cast(lane, to.element) if rounding == "rn" else None
    else:
        result = _float_to_float(lane, to, origin, rounding)
    if result is None:
        return None
    if finite and to.width == 16:
        result = limited_to_finite(result, to)
    if positive and origin.width < 16:
        result = rectified(result)
    return saturated(result) if clamped else result


def _allowed(flags: set[str], to: Lanes, origin: Lanes) -> bool:
    """Returns whether a conversion of these types has these modifiers."""
    half, single = to.is_float and to.width == 16, origin.name == "f32"
    finite = "satfinite" in flags
    # Formats of 8 bits and less always saturate.
    if finite != (to.is_small or (finite and ((single and (half or to.name == "tf32")) or to.is_scale))):
        return False
    if "sat" in flags and (finite or to.is_scale or "relu" in flags):
        return False
    narrows = single and (to.is_small or half or to.name == "tf32")
    of_halves = origin.is_float and origin.width == 16 and to.is_small
    return "relu" not in flags or narrows or of_halves or (origin.is_small and half)


def _float_to_float(lane: Block, to: Lanes, origin: Lanes, rounding: str) -> Block | None:
    if to.width > origin.width and to.width > 16:
        return cast(lane, to.element) if not rounding else None
    if to.element == origin.element:
        whole = WHOLES.get(rounding)
        return cast(whole(cast(lane, types.float64)), to.element) if whole else None if rounding else lane
    if rounding not in ("rn", "rz"):
        return None
    narrows = to.width < origin.width
    return cast(lane, to.element, fp_downcast_rounding={"rn": "rtne", "rz": "rtz"}[rounding] if narrows else None)


def _limited(lane: Block, to: Lanes, origin: Lanes) -> Block:
    """Clamps a number to the range of the other type."""
    assert to.element is not None
    low, high = to.element.get_int_min_value(), to.element.get_int_max_value()
    if origin.is_signed and (not to.is_signed or to.width < origin.width):
        lane = maximum(lane, low)
    return minimum(lane, high) if to.width - to.is_signed < origin.width - origin.is_signed else lane
