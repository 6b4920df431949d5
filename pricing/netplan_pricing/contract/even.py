"""Prices that can be compared, of a customer whose discounts of a kind are not one.

What the bill names is then below the list, and what it does not name is at the list: a change from
the one to the other is compared at list prices on both sides.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import Any, Self

from msgspec.structs import replace

from netplan_planner.model import FlexibleCommitments
from netplan_pricing.container import SnapshotFile
from netplan_pricing.contract.terms import Terms


class Comparable:
    """What a price book says of prices beside each other."""

    file: SnapshotFile
    terms: Terms
    flexible: FlexibleCommitments | None
    rates: Any
    network: Any

    @cached_property
    def _uneven(self) -> dict[str, str]:
        """Kinds by SKU of which the bill has no one discount."""
        return {} if self.terms.is_list else {**self.rates.uneven, **self.network.uneven}

    @cached_property
    def even(self) -> Self:
        """The same at list where the bill's discounts of a kind differ; itself where none do."""
        named = self.terms.effective
        kept = {sku_id: own for sku_id, own in named.items() if sku_id not in self._uneven}
        if len(kept) == len(named):
            return self
        found = type(self)(self.file, replace(self.terms, effective=kept))  # type: ignore[call-arg]
        found.flexible = self.flexible
        return found

    def is_mixed(self, sku_ids: Iterable[str]) -> bool:
        """Return whether the bill names some SKUs of an uneven kind, and others of it not."""
        kinds: dict[str, set[bool]] = {}
        for sku_id in sku_ids:
            kind = self._uneven.get(sku_id)
            if kind is not None:
                kinds.setdefault(kind, set()).add(sku_id in self.terms.effective)
        return any(len(found) > 1 for found in kinds.values())
