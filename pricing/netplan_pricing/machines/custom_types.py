"""Custom machine types: their names, and their prices from component rates."""

import re
from decimal import Decimal

import msgspec

from netplan_planner.errors import MissingDatum
from netplan_planner.model import MachineShape, shape_of_custom
from netplan_pricing import schema
from netplan_pricing.container import SnapshotFile
from netplan_pricing.machines.machine_types import MachineTypes
from netplan_pricing.texts import quoted

_NAME = re.compile(
    r"(?:([a-z]\d[a-z]?)-)?custom-(micro|small|medium|[1-9]\d{0,3})-([1-9]\d{0,7})(-ext)?"
)
_MIB_PER_GIB = 1024
_MEMORY_STEP_MIB = 256
"""Compute Engine takes no other sizes (creating a VM with a custom machine type, documentation)."""
_GPU_SERIES = "g2"
"""The one series whose custom types hold GPUs, as many as its standard type of equal vCPUs."""


class CustomType(msgspec.Struct, frozen=True, kw_only=True):
    """What the name of a custom type says."""

    name: str
    series: str
    size: str
    """Its vCPUs, or `micro`, `small`, `medium` for shared-core E2."""
    memory_gib: Decimal
    is_extended: bool

    @property
    def is_shared_core(self) -> bool:
        """Whether it is billed for a fraction of its vCPUs."""
        return not self.size.isdigit()


def parse_custom(name: str) -> CustomType | None:
    """Return what the name of a custom type says, or None for any other name.

    >>> parse_custom("n2-custom-8-16384-ext").memory_gib
    Decimal('16')
    >>> parse_custom("custom-4-8192").series, parse_custom("n2-standard-8")
    ('n1', None)
    """
    found = _NAME.fullmatch(name)
    if found is None or (not found[2].isdigit() and found[1] != "e2"):
        return None
    if shape_of_custom(name) is None:
        return None
    return CustomType(
        name=name,
        series=found[1] or "n1",
        size=found[2],
        memory_gib=Decimal(found[3]) / _MIB_PER_GIB,
        is_extended=found[4] is not None,
    )


class Part(msgspec.Struct, frozen=True):
    """A quantity of one component of a machine."""

    component: str
    quantity: Decimal


class CustomTypes:
    """The parts that custom types are billed for."""

    def __init__(self, file: SnapshotFile, types: MachineTypes) -> None:
        self._types = types
        table = file.table(schema.CUSTOM_LIMITS)
        self._limits = {
            table["series"][row]: (
                Decimal(table["max_gib_per_vcpu"][row]),
                table["has_extended"][row] == "1",
            )
            for row in range(table.row_count)
        }

    def shape(self, custom: CustomType) -> MachineShape | None:
        """Return the shape, or None where the series is unknown."""
        shape = shape_of_custom(custom.name)
        architecture = self._types.architecture_of_series(custom.series)
        if shape is None or architecture is None:
            return None
        gpus = self._standard_gpus(custom)
        return msgspec.structs.replace(
            shape, architecture=architecture, gpu_count=gpus.gpu_count if gpus else 0
        )

    def parts(self, custom: CustomType) -> list[Part]:
        """Return what a type is billed for: cores, memory, extended memory, GPUs.

        Raises:
            MissingDatum: If the limit between custom and extended memory, or the number of GPUs,
                is not known, or the type cannot exist.
        """
        memory_mib = custom.memory_gib * _MIB_PER_GIB
        if memory_mib % _MEMORY_STEP_MIB:
            raise MissingDatum(
                f"{custom.name}: no such type: memory must be a multiple of {_MEMORY_STEP_MIB} MiB"
            )
        vcpus = self._billed_vcpus(custom)
        plain, extended = self._memory(custom, vcpus)
        parts = [Part("custom_core", vcpus), Part("custom_ram", plain)]
        if extended:
            parts.append(Part("extended_ram", extended))
        if custom.series == _GPU_SERIES:
            parts.append(self._gpus(custom))
        return parts

    def _billed_vcpus(self, custom: CustomType) -> Decimal:
        if not custom.is_shared_core:
            return Decimal(custom.size)
        billed = self._types.billed_vcpus(f"{custom.series}-{custom.size}")
        if billed is None:
            raise MissingDatum(f"{custom.name}: the billed fraction of a vCPU is unknown")
        return billed

    def _memory(self, custom: CustomType, vcpus: Decimal) -> tuple[Decimal, Decimal]:
        """Return GiB at the custom and at the extended rate."""
        memory = custom.memory_gib
        limit = self._limits.get(custom.series)
        if not custom.is_extended:
            if limit and not custom.is_shared_core and memory > limit[0] * vcpus:
                raise MissingDatum(
                    f"{custom.name}: a custom type of series {custom.series} has at most"
                    f" {limit[0]} GiB per vCPU"
                    + (f"; did you mean {custom.name}-ext?" if limit[1] else "")
                )
            return memory, Decimal(0)
        if limit is None:
            raise MissingDatum(
                f"{custom.name}: the memory per vCPU above which series {custom.series} pays for"
                " extended memory is not in this snapshot"
            )
        if not limit[1] or custom.is_shared_core:
            raise MissingDatum(f"{custom.name}: series {custom.series} has no extended memory")
        plain = min(memory, limit[0] * vcpus)
        return plain, memory - plain

    def _standard_gpus(self, custom: CustomType) -> MachineShape | None:
        if custom.series != _GPU_SERIES:
            return None
        return self._types.shapes.get(f"{custom.series}-standard-{custom.size}")

    def _gpus(self, custom: CustomType) -> Part:
        standard = self._standard_gpus(custom)
        gpu = self._types.gpu_type(standard.machine_type) if standard else None
        if standard is None or gpu is None:
            raise MissingDatum(
                f"{custom.name}: its number of GPUs is unknown (no {custom.series}-standard type"
                f" has {quoted(custom.size)} vCPUs)"
            )
        return Part(gpu, Decimal(standard.gpu_count))
