"""A traffic graph without flow logs: what metrics tell of it, and what they must not be made to."""

from typing import Any

import pytest

from netplan_planner.model import (
    Edge,
    Inventory,
    Owner,
    OwnerKind,
    PathClass,
    TrafficMatrix,
    TrafficSource,
)
from netplan_planner.readers import read_inventory
from netplan_planner.readers.collector import Origin
from netplan_planner.readers.time_series import Gathering, traffic_of
from support.metrics.series import Json, flow, machine, page, time_series
from support.projects import one_project

MOVER = machine("4100000000000000001", "us-central1-a")
PLAIN = machine("4100000000000000098", "us-central1-a")
NAME, OTHER = "mover-1", "plain-1"
MIB = 2**20


@pytest.fixture(scope="module")
def inventory() -> Inventory:
    return read_inventory([one_project.FOLDER / "api"])


def traffic(inventory: Inventory, *series: Json) -> TrafficMatrix:
    gathering = Gathering()
    gathering.take(page(*series), Origin("f", "f:"))
    found = traffic_of(gathering, inventory)
    assert found is not None
    return found


def ends(matrix: TrafficMatrix, edge: Edge) -> tuple[Owner, Owner]:
    return matrix.owners[edge.src], matrix.owners[edge.dst]


@pytest.mark.parametrize(
    ("labels", "path_class", "kind"),
    [
        ({"zone": "us-central1-a"}, PathClass.SAME_ZONE_INTERNAL, OwnerKind.PLACE),
        ({"zone": "us-central1-f"}, PathClass.INTER_ZONE_INTERNAL, OwnerKind.PLACE),
        ({"zone": "europe-west1-b"}, PathClass.INTER_REGION_INTERNAL, OwnerKind.PLACE),
        (
            {"zone": "us-central1-f", "project": "another"},
            PathClass.INTER_ZONE_INTERNAL,
            OwnerKind.OTHER_PROJECT,
        ),
        ({"zone": "global"}, PathClass.UNKNOWN, OwnerKind.PLACE),
        ({"project": "REMOTE_IS_EXTERNAL"}, PathClass.UNKNOWN, OwnerKind.UNKNOWN),
        ({"where": "ON_PREM"}, PathClass.HYBRID, OwnerKind.HYBRID),
        ({"where": "GOOGLE_INTERNAL"}, PathClass.GOOGLE_APIS, OwnerKind.GOOGLE_API),
        ({"where": "SOMETHING_NEW"}, PathClass.UNKNOWN, OwnerKind.UNKNOWN),
        (
            {"where": "EXTERNAL", "remote_continent": "America", "remote_country": "USA"},
            PathClass.INTERNET,
            OwnerKind.INTERNET,
        ),
    ],
)
def test_a_peer_is_what_its_labels_tell(
    inventory: Inventory, labels: dict[str, Any], path_class: PathClass, kind: OwnerKind
) -> None:
    matrix = traffic(inventory, flow("egress", [MIB], resource=MOVER, **labels))
    (edge,) = matrix.edges
    src, dst = ends(matrix, edge)
    assert (src.name, src.kind) == (NAME, OwnerKind.VM)
    assert (edge.path_class, dst.kind, dst.link) == (path_class, kind, None)
    assert edge.dst_address is None


def test_an_area_is_kept_for_the_price(inventory: Inventory) -> None:
    labels: dict[str, Any] = {"remote_continent": "Europe", "remote_country": "deu"}
    matrix = traffic(inventory, flow("egress", [1], resource=MOVER, where="EXTERNAL", **labels))
    assert ends(matrix, matrix.edges[0])[1].area == "Europe/deu"
    unknown = traffic(inventory, flow("egress", [1], resource=MOVER, where="EXTERNAL"))
    assert ends(unknown, unknown.edges[0])[1].area is None


def test_what_both_ends_report_counts_once(inventory: Inventory) -> None:
    matrix = traffic(
        inventory,
        flow("egress", [MIB, MIB], resource=MOVER, zone="us-central1-a"),
        flow("ingress", [MIB, MIB], resource=PLAIN, zone="us-central1-a"),
    )
    assert sum(edge.payload_bytes for edge in matrix.edges) == 2 * MIB
    machines = {matrix.owners[vm.owner].name: vm for vm in matrix.vms}
    # The receiver has received it all the same.
    assert machines[OTHER].ingress.byte_count == 2 * MIB
    assert machines[NAME].egress.byte_count == 2 * MIB


def test_what_only_the_receiver_reports_is_an_edge(inventory: Inventory) -> None:
    matrix = traffic(
        inventory,
        flow("ingress", [MIB], resource=MOVER, where="EXTERNAL"),
        flow("ingress", [MIB], resource=MOVER, project="another", zone="us-central1-f"),
    )
    sources = {ends(matrix, edge)[0].kind for edge in matrix.edges}
    assert sources == {OwnerKind.INTERNET, OwnerKind.OTHER_PROJECT}
    assert matrix.coverage.destination_reported_bytes == 2 * MIB


def test_percentiles_are_of_all_intervals_in_which_anything_was_told(
    inventory: Inventory,
) -> None:
    matrix = traffic(
        inventory,
        flow("egress", [75_000_000, None, None, None], resource=MOVER, where="EXTERNAL"),
        flow("egress", [1, 1, None, 1], resource=PLAIN, where="EXTERNAL"),
    )
    # The third minute is a gap of all: nothing is known of it.
    assert (matrix.observed_minutes, matrix.span_minutes) == (3, 4)
    mover = next(vm for vm in matrix.vms if matrix.owners[vm.owner].name == NAME)
    assert (mover.egress.max_gbps, mover.egress.p50_gbps) == (0.01, 0.0)
    assert mover.egress_outside_vpc.max_gbps == 0.01
    assert mover.sent_to_internet_bytes == 75_000_000


def test_coarse_points_are_said_to_be(inventory: Inventory) -> None:
    matrix = traffic(
        inventory,
        flow("egress", [MIB] * 3, resource=MOVER, where="EXTERNAL", step_s=300),
    )
    assert (matrix.observed_minutes, matrix.vms[0].coarse_ratio) == (15, 1.0)
    assert matrix.edges[0].coarse_bytes == matrix.edges[0].payload_bytes == 3 * MIB
    assert matrix.edges[0].series.top_gbps == ()


def test_round_trips_are_medians(inventory: Inventory) -> None:
    sent = flow("egress", [MIB], resource=MOVER, zone="us-central1-f")
    rtt = time_series(
        "networking.googleapis.com/vm_flow/rtt",
        [0.2, 0.4, 9.0],
        resource=MOVER,
        labels=sent["metric"]["labels"],
        kind="GAUGE",
        value_type="DOUBLE",
    )
    assert traffic(inventory, sent, rtt).edges[0].rtt_ms == pytest.approx(0.4)


def test_the_coverage_says_what_metrics_cannot(inventory: Inventory) -> None:
    matrix = traffic(
        inventory,
        flow("egress", [MIB], resource=MOVER, project="REMOTE_IS_EXTERNAL"),
        flow("egress", [MIB], resource=MOVER, where="EXTERNAL"),
    )
    read = matrix.coverage
    assert matrix.is_of_metrics
    assert (read.source, read.unowned_bytes, read.owned_bytes) == (
        TrafficSource.METRICS,
        MIB,
        MIB,
    )
    said = " ".join(read.notes)
    for gap in ("no peer", "no address", "no five-tuple", "sampled", "headers"):
        assert gap in said
    assert read.header_bytes == 0


def test_a_machine_that_the_inventory_lacks_is_kept_without_a_link(inventory: Inventory) -> None:
    matrix = traffic(inventory, flow("egress", [1], resource=machine("5", "us-central1-a")))
    (vm,) = matrix.vms
    assert (matrix.owners[vm.owner].name, matrix.owners[vm.owner].link) == ("5", None)


def test_no_flow_metrics_are_no_traffic(inventory: Inventory) -> None:
    gathering = Gathering()
    sent = "compute.googleapis.com/instance/network/sent_bytes_count"
    gathering.take(page(time_series(sent, [1], resource=MOVER)), Origin("f", "f:"))
    assert traffic_of(gathering, inventory) is None
