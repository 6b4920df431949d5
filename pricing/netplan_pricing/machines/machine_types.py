"""What machine types there are, their shapes, and which regions and zones offer them."""

from decimal import Decimal
from math import ceil

import msgspec

from netplan_planner.errors import UnknownName, no_region
from netplan_planner.model import MachineShape
from netplan_pricing import schema
from netplan_pricing.container import SnapshotFile, Table


class MachineTypes:
    """The predefined types of a snapshot."""

    def __init__(self, file: SnapshotFile) -> None:
        self._file = file
        self._shapes: dict[str, MachineShape] | None = None
        self._architectures: dict[str, set[str | None]] = {}
        self._rows: dict[str, int] = {}
        self._region_rows: dict[str, range] | None = None
        self._offered: dict[str, dict[str, MachineShape]] = {}
        self._series_offered: dict[str, frozenset[str]] = {}
        self._zones: dict[str, tuple[str, ...]] | None = None

    @property
    def _types(self) -> Table:
        return self._file.table(schema.MACHINE_TYPES)

    @property
    def _offers(self) -> Table:
        return self._file.table(schema.REGION_OFFERS)

    @property
    def as_of(self) -> str:
        """The newest date of the offer."""
        return max(self._offers["as_of"].values, default="")

    @property
    def shapes(self) -> dict[str, MachineShape]:
        """Every predefined type by name."""
        if self._shapes is None:
            names = self._types["machine_type"].texts()
            self._rows = {name: row for row, name in enumerate(names)}
            self._shapes = {name: self._shape(row) for name, row in self._rows.items()}
        return self._shapes

    def _shape(self, row: int) -> MachineShape:
        types = self._types
        return MachineShape(
            machine_type=types["machine_type"][row],
            vcpus=int(types["vcpus"][row]),
            memory_gib=float(types["memory_gib"][row]),
            is_shared_core=types["is_shared_core"][row] == "1",
            architecture=types["architecture"][row] or None,
            # A part of a GPU (the smallest G4 types) is shown as one: it is a machine with GPU.
            gpu_count=ceil(types["gpu_count"].decimal(row) or 0),
            bundled_local_ssd_gib=int(types["local_ssd_gib"][row] or 0),
            is_bare_metal=types["is_bare_metal"][row] == "1",
            deprecation=types["deprecation"][row] or None,
        )

    def billed_vcpus(self, machine_type: str) -> Decimal | None:
        """Return the vCPUs that a predefined type is billed for; None: priced as a whole."""
        if machine_type not in self.shapes:
            return None
        return self._types["billed_vcpus"].decimal(self._rows[machine_type])

    def gpu_type(self, machine_type: str) -> str | None:
        """Return the GPU of a predefined type, or None."""
        if machine_type not in self.shapes:
            return None
        return self._types["gpu_type"][self._rows[machine_type]] or None

    def gpus(self, machine_type: str) -> Decimal | None:
        """Return how many GPUs a predefined type has, a part of one for the smallest G4."""
        if machine_type not in self.shapes:
            return None
        return self._types["gpu_count"].decimal(self._rows[machine_type])

    def memory_gib(self, machine_type: str) -> Decimal:
        """Return the memory of a predefined type, exactly.

        Raises:
            KeyError: If the type is unknown.
        """
        _ = self.shapes
        return self._types["memory_gib"].decimal(self._rows[machine_type]) or Decimal(0)

    def series(self, machine_type: str) -> str | None:
        """Return the series of a predefined type, or None for an unknown one."""
        if machine_type not in self.shapes:
            return None
        return self._types["series"][self._rows[machine_type]]

    def architecture_of_series(self, series: str) -> str | None:
        """Return the architecture that all predefined types of a series have, else None."""
        if not self._architectures:
            names = self._types["series"].texts()
            for name, shape in zip(names, self.shapes.values(), strict=True):
                self._architectures.setdefault(name, set()).add(shape.architecture)
        found = self._architectures.get(series, set())
        return next(iter(found)) if len(found) == 1 else None

    def regions(self) -> tuple[str, ...]:
        """Return every region with offered machine types, sorted."""
        return tuple(sorted(self._ranges))

    @property
    def _ranges(self) -> dict[str, range]:
        if self._region_rows is None:
            self._region_rows = self._offers.ranges("region")
        return self._region_rows

    def has_region(self, region: str) -> bool:
        """Return whether the region offers any machine type."""
        return region in self._ranges

    def require_region(self, region: str) -> None:
        """Return if the region is known.

        Raises:
            UnknownName: If no machine type is offered there; it names the nearest regions.
        """
        if not self.has_region(region):
            raise UnknownName(f"{no_region(region, self._ranges)}; regions of {self.as_of}")

    def offered(self, region: str) -> dict[str, MachineShape]:
        """Return the types that a region offers, in order of their names.

        A type that is deprecated in this region alone says so in its shape.

        Raises:
            UnknownName: If the region is unknown.
        """
        found = self._offered.get(region)
        if found is None:
            self.require_region(region)
            found = self._offered[region] = self._read_offer(region)
        return found

    def _read_offer(self, region: str) -> dict[str, MachineShape]:
        names, states = self._offers["machine_type"], self._offers["deprecation"]
        offer = {}
        for row in self._ranges[region]:
            name, state = names[row], states[row] or None
            shape = self.shapes.get(name)
            if shape is not None and state is not None and state != shape.deprecation:
                shape = msgspec.structs.replace(shape, deprecation=state)
            if shape is not None:
                offer[name] = shape
        return dict(sorted(offer.items()))

    def is_offered(self, region: str, machine_type: str) -> bool:
        """Return whether a region offers a predefined type."""
        return self.has_region(region) and machine_type in self.offered(region)

    def series_offered(self, region: str) -> frozenset[str]:
        """Return the series of which a region offers at least one type."""
        found = self._series_offered.get(region)
        if found is None:
            names = self.offered(region)
            series = (self._types["series"][self._rows[name]] for name in names)
            found = self._series_offered[region] = frozenset(series)
        return found

    def zones(self, machine_type: str) -> tuple[str, ...] | None:
        """Return the zones that offer a type, sorted; None where they are not known."""
        if self._zones is None:
            table = self._file.table(schema.ZONE_OFFERS)
            zones = table["zone"]
            self._zones = {
                name: tuple(sorted(zones[row] for row in rows))
                for name, rows in table.ranges("machine_type").items()
            }
        return self._zones.get(machine_type)
