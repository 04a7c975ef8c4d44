"""Counter-based random numbers, which depend only on a seed and an offset: the generator Philox, in the language.

The algorithm is that of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011): several
rounds of products mix a counter of four words with a key of two words. The numbers are bit for bit those of Triton.
"""

from __future__ import annotations

from typing import Any

from .cast import cast
from .constexpr import constexpr, constexpr_function
from .creation import full, to_tensor
from .debug import static_assert
from .elementwise import add, mul
from .math import cos, log, sin, sqrt, umulhi
from .op import library
from .program import static_range
from .select import maximum, where
from .types import dtype, int32, int64, uint32, uint64

N_ROUNDS_DEFAULT = constexpr(10)


@constexpr_function
def _multipliers(word: dtype) -> tuple[int, int]:
    """Returns the multipliers of the first and the third word."""
    wide = word.primitive_bitwidth == 64
    return (0xD2E7470EE14C6C93, 0xCA5A826395121157) if wide else (0xD2511F53, 0xCD9E8D57)


@constexpr_function
def _key_steps(word: dtype) -> tuple[int, int]:
    """Returns the increments of the key per round: fractions of the golden ratio and of the square root of three."""
    wide = word.primitive_bitwidth == 64
    return (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B) if wide else (0x9E3779B9, 0xBB67AE85)


@constexpr_function
def _is_word(kind: dtype, bits: int) -> bool:
    return kind.is_int() and kind.primitive_bitwidth == bits


@library()
def philox_impl(c0: Any, c1: Any, c2: Any, c3: Any, k0: Any, k1: Any, n_rounds: constexpr = N_ROUNDS_DEFAULT) -> Any:
    """Rounds of Philox: a counter of four words, mixed with a key of two.

    Args:
        c0: A block of uint32 or uint64; the others are of the same type.
        c1: The counter's second word.
        c2: The third.
        c3: The fourth.
        k0: The key's first word.
        k1: The key's second word.
        n_rounds: The number of rounds; ten are usual.

    Returns:
        Four blocks of random words.

    Raises:
        CompileTimeAssertionError: The words are neither uint32 nor uint64.

    Example:
        a, b, c, d = tl.philox_impl(c0, c1, c2, c3, k0, k1, 7)
    """
    word = c0.dtype
    static_assert(word in (uint32, uint64), f"philox_impl expects words of uint32 or uint64, got {word}")
    factors = _multipliers(word)
    steps = _key_steps(word)
    for _ in static_range(n_rounds):
        low0, high0 = mul(c0, factors[0], sanitize_overflow=False), umulhi(c0, factors[0])
        low1, high1 = mul(c2, factors[1], sanitize_overflow=False), umulhi(c2, factors[1])
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0 = add(k0, steps[0], sanitize_overflow=False)
        k1 = add(k1, steps[1], sanitize_overflow=False)
    return c0, c1, c2, c3


@library()
def philox(seed: Any, c0: Any, c1: Any, c2: Any, c3: Any, n_rounds: constexpr = N_ROUNDS_DEFAULT) -> Any:
    """Four blocks of random words for a seed and a counter of four words.

    Args:
        seed: An integer, taken as 64 bits.
        c0: The counter's first word, of 32 or 64 bits. Its width is that of the result.
        c1: The counter's second word.
        c2: The counter's third word.
        c3: The counter's fourth word.
        n_rounds: The number of rounds.

    Returns:
        Four blocks of uint32 or uint64.

    Raises:
        CompileTimeAssertionError: The seed is no integer, or the words have neither 32 nor 64 bits.

    Example:
        a, b, c, d = tl.philox(seed, offsets, zeros, zeros, zeros)
    """
    key, first = to_tensor(seed), to_tensor(c0)
    static_assert(key.dtype.is_int(), f"philox expects a seed that is an integer, got {key.dtype}")
    bits = first.dtype.primitive_bitwidth
    static_assert(bits in (32, 64), f"philox expects words of 32 or 64 bits, got {first.dtype}")
    key = cast(key, uint64)
    if bits == 32:
        word = uint32
        k0, k1 = cast(key & 0xFFFFFFFF, uint32), cast(key >> 32, uint32)
    else:
        word = uint64
        k0, k1 = key, full((1,), 0, uint64)
    c0, c1 = cast(first, word, bitcast=True), cast(to_tensor(c1), word, bitcast=True)
    c2, c3 = cast(to_tensor(c2), word, bitcast=True), cast(to_tensor(c3), word, bitcast=True)
    return philox_impl(c0, c1, c2, c3, k0, k1, n_rounds)


@library()
def randint4x(seed: Any, offset: Any, n_rounds: constexpr = N_ROUNDS_DEFAULT) -> Any:
    """Four blocks of random uint32, the full result of one call of the generator.

    Args:
        seed: An integer.
        offset: A block of integers of up to 64 bits. Each offset has four numbers.
        n_rounds: The number of rounds.

    Raises:
        CompileTimeAssertionError: The seed is no integer.

    Example:
        a, b, c, d = tl.randint4x(seed, offsets)
    """
    position = to_tensor(offset)
    low = cast(position, uint32)
    zero = low * 0
    high = zero
    if position.dtype.primitive_bitwidth > 32:
        high = cast(position >> 32, uint32)
    return philox(seed, low, high, zero, zero, n_rounds)


@library()
def randint(seed: Any, offset: Any, n_rounds: constexpr = N_ROUNDS_DEFAULT) -> Any:
    """A block of random uint32.

    Args:
        seed: An integer.
        offset: A block of integers; each offset has its own number.
        n_rounds: The number of rounds.

    Example:
        bits = tl.randint(seed, offsets)
    """
    a, _, _, _ = randint4x(seed, offset, n_rounds)
    return a


@library()
def uint_to_uniform_float(x: Any) -> Any:
    """Converts random words of 32 or 64 bits to float32, uniformly distributed over ``0 <= u < 1``.

    Args:
        x: Integers of 32 or 64 bits, signed or not.

    Raises:
        CompileTimeAssertionError: ``x`` has another width, or is a float.

    Example:
        u = tl.uint_to_uniform_float(tl.randint(seed, offsets))
    """
    wide = _is_word(x.dtype, 64)
    static_assert(wide or _is_word(x.dtype, 32),
                  f"uint_to_uniform_float expects integers of 32 or 64 bits, got {x.dtype}")  # fmt: skip
    signed = cast(x, int64 if wide else int32, bitcast=True)
    # The largest factors for which the product with the largest integer, rounded to float32, is below one.
    return where(signed < 0, ~signed, signed) * (1.0842020432385337e-19 if wide else 4.6566127342e-10)


@library()
def rand(seed: Any, offset: Any, n_rounds: constexpr = N_ROUNDS_DEFAULT) -> Any:
    """A block of float32, uniformly distributed over ``0 <= u < 1``.

    Args:
        seed: An integer.
        offset: A block of integers; each offset has its own number.
        n_rounds: The number of rounds.

    Example:
        keep = tl.rand(seed, offsets) > p
    """
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@library()
def rand4x(seed: Any, offsets: Any, n_rounds: constexpr = N_ROUNDS_DEFAULT) -> Any:
    """Four blocks of float32, uniformly distributed over ``0 <= u < 1``, for the cost of one.

    Args:
        seed: An integer.
        offsets: A block of integers.
        n_rounds: The number of rounds.

    Example:
        a, b, c, d = tl.rand4x(seed, offsets)
    """
    a, b, c, d = randint4x(seed, offsets, n_rounds)
    return uint_to_uniform_float(a), uint_to_uniform_float(b), uint_to_uniform_float(c), uint_to_uniform_float(d)


@library()
def pair_uniform_to_normal(u1: Any, u2: Any) -> Any:
    """Converts two blocks of uniformly distributed floats to normally distributed ones, by the Box-Muller transform.

    Args:
        u1: Floats of ``0 <= u < 1``; values below 1e-7 count as 1e-7.
        u2: The angle, in turns.

    Example:
        a, b = tl.pair_uniform_to_normal(u1, u2)
    """
    radius = sqrt(-2.0 * log(maximum(1.0e-7, u1)))
    angle = 6.283185307179586 * u2
    return radius * cos(angle), radius * sin(angle)


@library()
def randn(seed: Any, offset: Any, n_rounds: constexpr = N_ROUNDS_DEFAULT) -> Any:
    """A block of float32, normally distributed with mean 0 and standard deviation 1.

    Args:
        seed: An integer.
        offset: A block of integers; each offset has its own number.
        n_rounds: The number of rounds.

    Example:
        noise = tl.randn(seed, offsets)
    """
    a, b, _, _ = randint4x(seed, offset, n_rounds)
    normal, _ = pair_uniform_to_normal(uint_to_uniform_float(a), uint_to_uniform_float(b))
    return normal


@library()
def randn4x(seed: Any, offset: Any, n_rounds: constexpr = N_ROUNDS_DEFAULT) -> Any:
    """Four blocks of float32, normally distributed with mean 0 and standard deviation 1.

    Args:
        seed: An integer.
        offset: A block of integers.
        n_rounds: The number of rounds.

    Example:
        a, b, c, d = tl.randn4x(seed, offsets)
    """
    u, v, w, x = rand4x(seed, offset, n_rounds)
    a, b = pair_uniform_to_normal(u, v)
    c, d = pair_uniform_to_normal(w, x)
    return a, b, c, d
