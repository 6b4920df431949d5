"""What the name of a machine type says, and what a type has."""

from netplan_planner.model.base import Value


class MachineShape(Value, frozen=True, kw_only=True):
    """What a machine type has; `memory_gib` is exact in 1/1024 steps."""

    machine_type: str
    vcpus: int
    memory_gib: float
    is_shared_core: bool = False
    architecture: str | None = None
    gpu_count: int = 0
    bundled_local_ssd_gib: int = 0
    is_bare_metal: bool = False
    deprecation: str | None = None


def series_of(machine_type: str) -> str:
    """Return the machine series of a type name.

    >>> series_of("n2d-standard-8"), series_of("custom-4-8192"), series_of("f1-micro")
    ('n2d', 'n1', 'n1')
    """
    head = machine_type.partition("-")[0]
    return "n1" if head in {"custom", "f1", "g1"} else head


def why_no_shape(machine_type: str) -> str:
    """Return what to know of the name of a custom type that does not exist, with a space before.

    >>> why_no_shape("n2-custom-3-8192")
    ' (custom types have 1 vCPU or an even number of them)'
    >>> why_no_shape("n2-standard-3"), why_no_shape("n2-custom-4-8192")
    ('', '')
    """
    if "custom" not in machine_type.split("-") or shape_of_custom(machine_type) is not None:
        return ""
    return " (custom types have 1 vCPU or an even number of them)"


def shape_of_custom(machine_type: str) -> MachineShape | None:
    """Return the shape that a custom type's name spells out, or None for any other name.

    A custom type has 1 vCPU or an even number of them; others do not exist.
    Source: docs.cloud.google.com/compute/docs/instances/creating-instance-with-custom-machine-type.
    Shared-core E2 custom types (`e2-custom-micro-2048`) bill a fraction of 2 vCPUs; their name
    gives no count, so they answer with the guest's 2.

    >>> shape_of_custom("n2-custom-8-16384").memory_gib
    16.0
    >>> shape_of_custom("custom-1-1024").vcpus
    1
    >>> shape_of_custom("n2-standard-8") is None
    True
    """
    parts = machine_type.removesuffix("-ext").split("-")
    if "custom" not in parts:
        return None
    size = parts[parts.index("custom") + 1 :]
    if len(size) != 2 or not size[1].isdigit():
        return None
    shared = size[0] in {"micro", "small", "medium"}
    if not shared and not size[0].isdigit():
        return None
    vcpus, memory_mib = 2 if shared else int(size[0]), int(size[1])
    if vcpus % 2 and vcpus != 1:
        return None
    return MachineShape(
        machine_type=machine_type,
        vcpus=vcpus,
        memory_gib=memory_mib / 1024,
        is_shared_core=shared,
    )
