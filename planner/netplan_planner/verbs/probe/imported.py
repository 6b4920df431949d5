"""What an import of throughput tools' outputs added to a store, and what it refused."""

from netplan_planner.measuring.outputs.base import Refused
from netplan_planner.model.base import Value


class ProbeImport(Value, frozen=True, kw_only=True):
    """What an import did."""

    store: str
    measurement_count: int
    new_count: int
    """Of them, those that the store did not have yet."""
    file_count: int
    """Files with at least one of them."""
    by_tool: tuple[tuple[str, int], ...]
    refused: tuple[Refused, ...]

    @property
    def lost(self) -> tuple[Refused, ...]:
        """What was refused and is not there from another file either."""
        return tuple(one for one in self.refused if not one.is_repeat)
