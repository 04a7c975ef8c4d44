"""Aliases among a launch's arguments: overlapping tensors and equal pointers.

They matter only if the kernel stores through one of the arguments. ``settle`` chooses the variant once the flattened
module tells which arguments are stored through. ``candidates`` returns the possible variants without a module, for
lookups in caches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from blockdsl.compiler.options import Options
from blockdsl.compiler.signature import Signature, first_slots

Overlaps = tuple[Sequence[int], Sequence[tuple[int, int]]]
"""Overlaps as the launcher reports them, by the indices of all parameters: parameters whose arguments overlap another
one partially, and pairs of a parameter and an earlier one with the same pointer."""


@dataclass(frozen=True)
class Aliases:
    """Overlaps by the indices of run-time parameters, as the passes count.

    Attributes:
        partial: Parameters whose arguments overlap another one with a different pointer.
        leaders: For each parameter the first one with the same pointer; empty if all pointers differ.
    """

    partial: frozenset[int] = frozenset()
    leaders: tuple[int, ...] = ()

    @staticmethod
    def of(signature: Signature, overlaps: Overlaps) -> Aliases:
        slots = signature.slots
        # A pointer to constants is one to its element type.
        type_at = {index: signature.types.get(name, "").replace("*k", "*") for index, name in signature.places}
        slot_of = first_slots(slots)
        partial = {slot_of[index] for index in overlaps[0]}
        leaders = list(range(len(slots)))
        for index, leader in overlaps[1]:
            # A module may see one tensor as two types, such as i1 and i8.
            if type_at[index] == type_at[leader]:
                leaders[slot_of[index]] = slot_of[leader]
            else:
                partial |= {slot_of[index], slot_of[leader]}
        return Aliases(frozenset(partial), tuple(leaders) if leaders != sorted(set(leaders)) else ())

    def candidates(self, options: Options) -> list[Options]:
        """Returns all possible results of ``settle`` for these options."""
        merged = [replace(options, merged=self.leaders)] if self.leaders else []
        unknown = [replace(options, disjoint=False)] if self.partial else []
        return [options, *merged, *unknown] if options.disjoint else [options]

    def settle(self, options: Options, written: Iterable[int]) -> Options:
        """Returns the options for a kernel that stores through the parameters ``written``."""
        if not options.disjoint or not (self.partial or self.leaders):
            return options
        if not self.partial.isdisjoint(written):
            return replace(options, disjoint=False, merged=())
        is_stored = self.leaders and any(self.leaders.count(self.leaders[at]) > 1 for at in written)
        return replace(options, merged=self.leaders if is_stored else ())
