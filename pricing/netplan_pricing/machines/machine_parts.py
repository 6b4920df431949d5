"""The parts that a machine is billed for: cores, memory, GPUs, local SSDs, premiums."""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from netplan_planner.errors import MissingDatum
from netplan_planner.model import Usage
from netplan_pricing import schema
from netplan_pricing.container import SnapshotFile
from netplan_pricing.machines.component_rates import USAGE_WORDS
from netplan_pricing.machines.custom_types import CustomType, CustomTypes
from netplan_pricing.machines.machine_types import MachineTypes
from netplan_pricing.machines.surcharges import SustainedUse

GPU_SERIES = "gpu"
GENERIC_SSD_SERIES = "pd-local"
LOCAL_SSD = "local_ssd"
_COMMITMENTS = frozenset({Usage.CUD_1Y, Usage.CUD_3Y})
_ON_DEMAND = USAGE_WORDS[Usage.ON_DEMAND]
_ONE = Decimal(1)


class BilledPart(NamedTuple):
    """A quantity of one component, and the rate that it is billed at.

    `ratio` is what a discount leaves of the rate. `is_ssd`: the series' own rate, else the generic
    one; the rate is per GiB and month.
    """

    series: str
    component: str
    usage: str
    quantity: Decimal
    ratio: Decimal = _ONE
    is_ssd: bool = False


class Slices(NamedTuple):
    """How a type is sold that has no rates of cores and memory: by the slice, all in one SKU."""

    component: str
    quantity: Decimal
    note: str


def _slices(file: SnapshotFile) -> dict[str, Slices]:
    """Return the types that are sold by the slice alone."""
    if not file.has_table(schema.MACHINE_SLICES):
        return {}
    table = file.table(schema.MACHINE_SLICES)
    return {
        table["machine_type"][row]: Slices(
            table["component"][row], Decimal(table["slices"][row]), table["note"][row]
        )
        for row in range(table.row_count)
    }


class MachineParts:
    """The parts of each machine type, by way of paying."""

    def __init__(self, file: SnapshotFile, types: MachineTypes, sustained: SustainedUse) -> None:
        self._types = types
        self._sustained = sustained
        self._custom = CustomTypes(file, types)
        table = file.table(schema.SKU_SERIES)
        self._series = [
            tuple(table[column][row] for column in schema.COLUMNS[schema.SKU_SERIES][:4])
            for row in range(table.row_count)
        ]
        self._slices = _slices(file)
        self._found: dict[tuple[str, Usage], tuple[BilledPart, ...]] = {}

    @property
    def custom(self) -> CustomTypes:
        """The custom types."""
        return self._custom

    def slice_note(self, machine_type: str) -> str:
        """Return what to say of a type that is sold by the slice; nothing of others."""
        sold = self._slices.get(machine_type)
        return sold.note if sold else ""

    def of_type(self, machine_type: str, usage: Usage) -> tuple[BilledPart, ...]:
        """Return the parts of a predefined type; none for one that is unknown.

        Raises:
            MissingDatum: If no SKU is known to be for the type.
        """
        found = self._found.get((machine_type, usage))
        if found is None:
            found = self._found[machine_type, usage] = tuple(self._read(machine_type, usage))
        return found

    def _read(self, machine_type: str, usage: Usage) -> list[BilledPart]:
        shape = self._types.shapes.get(machine_type)
        series = self._types.series(machine_type)
        if shape is None or series is None:
            return []
        word = USAGE_WORDS[usage]
        if machine_type in self._slices:
            sold = self._slices[machine_type]
            return [BilledPart(GPU_SERIES, sold.component, word, sold.quantity)]
        vcpus = self._types.billed_vcpus(machine_type)
        if vcpus is None:
            return [BilledPart(machine_type, "vm", word, _ONE)]
        rates_of, premium = self._series_of(machine_type, series)
        memory = self._types.memory_gib(machine_type)
        parts = [
            BilledPart(rates_of, "core", word, vcpus),
            BilledPart(rates_of, "ram", word, memory),
        ]
        if premium:
            parts += self._premium(machine_type, premium, usage, (vcpus, memory))
        gpu, gpus = self._types.gpu_type(machine_type), self._types.gpus(machine_type)
        if gpu and gpus:
            parts.append(BilledPart(GPU_SERIES, gpu, word, gpus))
        if shape.bundled_local_ssd_gib:
            size = Decimal(shape.bundled_local_ssd_gib)
            parts.append(BilledPart(series, LOCAL_SSD, word, size, is_ssd=True))
        return parts

    def _series_of(self, machine_type: str, series: str) -> tuple[str, str]:
        for pattern, rates_of, premium, source in self._series:
            # An end mark makes a prefix the whole name.
            if f"{machine_type}$".startswith(pattern):
                if not rates_of:
                    raise MissingDatum(f"the price of {machine_type} cannot be computed: {source}")
                return rates_of, premium
        return series, ""

    def _premium(
        self, machine_type: str, series: str, usage: Usage, sizes: Sequence[Decimal]
    ) -> list[BilledPart]:
        """Return the upgrade premium, which no commitment covers.

        What none covers gets the sustained-use discount; a committed machine runs all month.
        """
        committed = usage in _COMMITMENTS
        ratio = self._sustained.full_month_ratio(machine_type) if committed else _ONE
        word = _ON_DEMAND if committed else USAGE_WORDS[usage]
        names = ("upgrade_core", "upgrade_ram")
        return [
            BilledPart(series, name, word, size, ratio)
            for name, size in zip(names, sizes, strict=True)
        ]

    def of_custom(self, custom: CustomType, usage: Usage) -> tuple[BilledPart, ...]:
        """Return the parts of a custom type.

        Raises:
            MissingDatum: If the limit between custom and extended memory or the number of GPUs is
                not known, the type cannot exist, or a commitment for its memory is not published.
        """
        parts: list[BilledPart] = []
        word = USAGE_WORDS[usage]
        for part in self._custom.parts(custom):
            base = part.component.removeprefix("custom_")
            if base == part.component:  # extended memory, GPUs
                if usage in _COMMITMENTS and part.component == "extended_ram":
                    raise MissingDatum(
                        f"no {usage.value} price for {custom.name}: the catalog has no commitment"
                        " for extended memory"
                    )
                series = custom.series if part.component == "extended_ram" else GPU_SERIES
                parts.append(BilledPart(series, part.component, word, part.quantity))
            elif usage in _COMMITMENTS:
                premium = f"cud_premium_{part.component}"
                parts.append(BilledPart(custom.series, base, word, part.quantity))
                parts.append(BilledPart(custom.series, premium, _ON_DEMAND, part.quantity))
            else:
                parts.append(BilledPart(custom.series, part.component, word, part.quantity))
        return tuple(parts)
