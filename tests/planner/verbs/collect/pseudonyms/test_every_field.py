"""A word planted in every text of every value that a bundle can hold is in no pseudonymised one.

The values are made from their types: a field that comes later is planted, too.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from msgspec import inspect

from netplan_planner.model import Inventory, Metrics, TrafficMatrix, Value
from netplan_planner.model.evidence.pod_traffic import PodTraffic
from netplan_planner.verbs.collect.pseudonyms import values
from netplan_planner.verbs.collect.pseudonyms.names import Names
from netplan_planner.verbs.collect.run import VALUES

WORD = "plantedmark"
SHAPES = (
    "{w}",
    "{w}-1",
    "{w}/{w}",
    "projects/{w}/zones/{w}/instances/{w}",
    "projects/{w}-cloud/global/licenses/{w}",
    "projects/p/machineTypes/{w}",
    "registry.{w}.example:5000/{w}/mysql:8.0-{w}",
    "api/v1/namespaces/{w}/pods/{w}",
    "cilium-{w}",
    "nic-{w}",
    "organizations/{w}",
    'module.{w}["{w}"].google_compute_instance.{w}',
    "/home/{w}/plan.json:/resource_changes/3",
    'Backend: "{w}" # {w}',
    "--iface={w}",
    "internet:{w}",
    "google-api:{w}.p.googleapis.com",
    "netplan-{w}",
    "compute.googleapis.com/{w}-1",
    "us-central1-a/{w}",
)
OWN_ADDRESSES = ("34.77.201.93", "10.77.201.93")
RENAMED: dict[Any, Any] = {
    Inventory: values.pseudonymised_inventory,
    TrafficMatrix: values.pseudonymised_traffic,
    PodTraffic: values.pseudonymised_pods,
    Metrics: values.pseudonymised_metrics,
}
MOMENT = datetime(2026, 11, 20, tzinfo=UTC)


def made(kind: inspect.Type, text: str, choice: int) -> Any:
    """Return a value of a type with a text wherever a text can be."""
    match kind:
        case inspect.StrType():
            return text
        case inspect.StructType():
            given = {f.name: made(f.type, text, choice) for f in kind.fields}
            return kind.cls(**given)
        case inspect.UnionType():
            one = next(t for t in kind.types if not isinstance(t, inspect.NoneType))
            return made(one, text, choice)
        case inspect.VarTupleType():
            return (made(kind.item_type, text, choice),)
        case inspect.TupleType():
            return tuple(made(one, text, choice) for one in kind.item_types)
        case inspect.FrozenSetType():
            return frozenset({made(kind.item_type, text, choice)})
        case inspect.EnumType():
            members = list(kind.cls)
            return members[choice % len(members)]
        case inspect.IntType() | inspect.FloatType():
            return 0
        case inspect.BoolType():
            return True
        case inspect.DateTimeType():
            return MOMENT
        case _:
            raise AssertionError(f"a bundle holds {kind}: say here how it is made")


def texts_of(kind: inspect.Type) -> Iterator[str]:
    """Yield the fields of texts below a type."""
    if isinstance(kind, inspect.StructType):
        for field in kind.fields:
            yield from (f"{kind.cls.__name__}.{field.name}" for _ in _strings(field.type))
            yield from texts_of(field.type)
    for inner in _inner(kind):
        yield from texts_of(inner)


def _inner(kind: inspect.Type) -> tuple[inspect.Type, ...]:
    match kind:
        case inspect.UnionType():
            return kind.types
        case inspect.TupleType():
            return kind.item_types
        case inspect.VarTupleType() | inspect.FrozenSetType():
            return (kind.item_type,)
        case _:
            return ()


def _strings(kind: inspect.Type) -> Iterator[inspect.StrType]:
    if isinstance(kind, inspect.StrType):
        yield kind
    for inner in _inner(kind):
        yield from _strings(inner)


def hidden(kind: type[Value], text: str, choice: int) -> bytes:
    """Return a value full of a text as a pseudonymised bundle holds it."""
    value = made(inspect.type_info(kind), text, choice)
    assert text.encode() in msgspec.json.encode(value).replace(b'\\"', b'"')
    return msgspec.json.encode(RENAMED[kind](value, Names(b"key")))


def test_every_part_has_its_pseudonyms() -> None:
    assert set(RENAMED) == set(VALUES.values())
    named = {name for kind in VALUES.values() for name in texts_of(inspect.type_info(kind))}
    assert {"Instance.name", "Pod.images", "ConfigMap.data", "Unread.reason"} <= named
    assert {"PodEnd.workload", "MetricSeries.labels", "LogSource.configuration"} <= named
    assert len(named) > 200


@pytest.mark.parametrize("kind", RENAMED, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_planted_word_is_nowhere(kind: type[Value], shape: str) -> None:
    text = shape.format(w=WORD)
    # Kinds of owners, metrics and resources are treated apart.
    for choice in range(9):
        held = hidden(kind, text, choice).decode()
        at = held.find(WORD)
        assert at < 0, held[max(at - 120, 0) : at + 60]


@pytest.mark.parametrize("kind", RENAMED, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("address", OWN_ADDRESSES)
@pytest.mark.parametrize(
    "shape", ["{a}", "{a}/32", "ip-{a}.{a}", '{{"net": "{a}/24"}}', "{a}:8080/x"]
)
def test_an_address_is_nowhere(kind: type[Value], shape: str, address: str) -> None:
    assert address not in hidden(kind, shape.format(a=address), 0).decode()


def test_equal_names_of_pods_stay_equal_in_every_part() -> None:
    names = Names(b"key")
    (flow,) = RENAMED[PodTraffic](
        made(inspect.type_info(PodTraffic), "services/cilium-acme", 0), names
    ).flows
    kubernetes = RENAMED[Inventory](
        made(inspect.type_info(Inventory), "services", 0), names
    ).kubernetes
    assert flow.src.workload.startswith(f"{kubernetes.pods[0].namespace}/cilium-x")
