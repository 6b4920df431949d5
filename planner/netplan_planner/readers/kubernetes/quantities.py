"""Kubernetes quantities, and the quality of service class that follows from them."""

from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from netplan_planner.model.project.kubernetes import QosClass
from netplan_planner.readers.kubernetes.wire import Quantity, WireCapacity, WireResources

_SUFFIXES = {
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    "": Decimal(1),
    "k": Decimal(10**3),
    "M": Decimal(10**6),
    "G": Decimal(10**9),
    "T": Decimal(10**12),
    "P": Decimal(10**15),
    "E": Decimal(10**18),
    "Ki": Decimal(2**10),
    "Mi": Decimal(2**20),
    "Gi": Decimal(2**30),
    "Ti": Decimal(2**40),
    "Pi": Decimal(2**50),
    "Ei": Decimal(2**60),
}
"""kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity, read 2026-11-23."""

_LONGEST = 40
"""Characters; a longer text is no quantity of a machine."""
_GREATEST = Decimal(2**63)

Given = tuple[Decimal | None, Decimal | None, Decimal | None, Decimal | None]
"""Requested CPU and memory, then their limits; None where not stated or 0."""


@lru_cache(4096)
def amount(quantity: Quantity) -> Decimal | None:
    """Return a quantity as a number, None where it is none that Kubernetes takes.

    >>> amount("500m"), amount("1.5Gi"), amount("1e3"), amount("many")
    (Decimal('0.500'), Decimal('1610612736.0'), Decimal('1E+3'), None)
    """
    text = str(quantity).strip()
    if len(text) > _LONGEST or not text.isascii():
        return None
    number = text.rstrip("".join(dict.fromkeys("numkKMGTPEi")))
    suffix = _SUFFIXES.get(text[len(number) :])
    if suffix is None:
        return None
    try:
        value = Decimal(number) * suffix
    except InvalidOperation:
        return None
    return value if value.is_finite() and abs(value) <= _GREATEST else None


def cpu_count(quantity: Quantity | None) -> float | None:
    """Return a quantity of CPU in vCPUs, None where none is stated."""
    found = amount(quantity) if quantity is not None else None
    return float(found) if found is not None else None


def given(resources: WireResources | None) -> Given:
    """Return requests and limits of a container; a limit without a request is requested too.

    So the API server fills it in when it stores a pod.
    """
    if resources is None:
        return None, None, None, None
    return _given(_pair(resources.requests), _pair(resources.limits))


_Stated = tuple[Quantity | None, Quantity | None]


def _pair(capacity: WireCapacity | None) -> _Stated:
    return (None, None) if capacity is None else (capacity.cpu, capacity.memory)


@lru_cache(4096)
def _given(requests: _Stated, limits: _Stated) -> Given:
    cpu, memory, cpu_limit, memory_limit = (
        amount(quantity) if quantity is not None else None for quantity in (*requests, *limits)
    )
    # A request of 0 is one: only what is not stated is taken from the limit.
    return (
        (cpu if cpu is not None else cpu_limit) or None,
        (memory if memory is not None else memory_limit) or None,
        cpu_limit or None,
        memory_limit or None,
    )


def qos_class(containers: Iterable[Given]) -> QosClass:
    """Return the class of a pod with these containers, init containers included.

    Guaranteed: each has limits of CPU and memory, and the sums of requests are those of limits.
    Best effort: none has a request or limit of either. Burstable: all others.

    Source:
        kubernetes.io/docs/concepts/workloads/pods/pod-qos, read 2026-11-23.

    >>> one, half = Decimal(1), Decimal("0.5")
    >>> qos_class([(one, one, one, one)]).value
    'Guaranteed'
    >>> qos_class([(half, one, one, one)]).value, qos_class([(None,) * 4]).value
    ('Burstable', 'BestEffort')
    """
    found = tuple(containers)
    if all(value is None for container in found for value in container):
        return QosClass.BEST_EFFORT
    has_limits = all(c[2] is not None and c[3] is not None for c in found)
    is_equal = all(
        sum((c[request] or 0 for c in found), Decimal(0))
        == sum((c[request + 2] or 0 for c in found), Decimal(0))
        for request in (0, 1)
    )
    return QosClass.GUARANTEED if has_limits and is_equal else QosClass.BURSTABLE
