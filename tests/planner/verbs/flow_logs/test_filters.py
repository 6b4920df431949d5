"""Proposed filters, and promises, against generated logs that are filtered and thinned by them."""

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from netplan_planner.model import Facts, OwnerKind
from netplan_planner.model.evidence.log_volume import LogSettings
from netplan_planner.planning.flow_logs import writers
from netplan_planner.readers.files import read_inventory
from netplan_planner.traffic import TrafficOptions, read_traffic
from netplan_planner.verbs.flow_logs import filters
from netplan_planner.verbs.flow_logs.answer import FlowLogBill, LogGoal
from netplan_planner.verbs.flow_logs.bill import priced_edges
from netplan_planner.verbs.flow_logs.plan import plan_of
from netplan_planner.world.request import InputRequest
from netplan_rules.registry import all_rules
from support.flows.cel import keeps
from support.known import known
from support.rules.fixtures import facts_of

GENERATE = Path(__file__).parents[4] / "benchmarks" / "generate.py"
RECORDS, VMS, MINUTES = 40_000, 40, 60
DRAWS = 1000
GOAL = LogGoal(
    dollar_error_ratio=0.05,
    p95_error_ratio=0.3,
    confidence=0.9,
    p95_from_gbps=0.0012,
    keeps_metadata=True,
)
ONLY_DOLLARS = replace(GOAL, p95_from_gbps=10.0)
HEADER_BYTES = {6: 52, 17: 28}


class Made(NamedTuple):
    """A generated project whose logs are all there, and its records."""

    folder: Path
    facts: Facts
    entries: list[dict[str, Any]]


class Counted(NamedTuple):
    """The records that count, a row each."""

    row: NDArray[np.int64]
    """Their number among all."""
    writer: NDArray[np.str_]
    sender: NDArray[np.str_]
    minute: NDArray[np.int64]
    wire: NDArray[np.float64]
    usd: NDArray[np.float64]


def generated(folder: Path) -> None:
    """Write a project that keeps all of its records, so that what is promised can be looked at."""
    sizes = ("--records", str(RECORDS), "--vms", str(VMS), "--minutes", str(MINUTES))
    command = [sys.executable, str(GENERATE), *sizes, "--format", "json", "--out", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    file = folder / "inventory" / "subnetworks.json"
    file.write_text(file.read_text().replace('"flowSampling": 0.5', '"flowSampling": 1.0'))


def read_entries(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a project that a reader can use."""
    for path in sorted((folder / "flows").iterdir()):
        for line in gzip.decompress(path.read_bytes()).splitlines():
            try:
                one = json.loads(line)
                sent, packets = int(one["jsonPayload"]["bytes_sent"]), packets_of(one)
            except (ValueError, KeyError):
                continue
            is_in_order = one["jsonPayload"]["start_time"] <= one["jsonPayload"]["end_time"]
            if 0 <= sent < 10**15 and packets >= 0 and is_in_order:
                yield one


def packets_of(one: dict[str, Any]) -> int:
    return int(one["jsonPayload"]["packets_sent"])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("generated")
    generated(folder)
    bare = facts_of({}, folder)
    facts = replace(bare, inventory=read_inventory([folder / "inventory"]))
    entries = list(read_entries(folder))
    return Made(folder, with_traffic(facts, folder, entries), entries)


def with_traffic(facts: Facts, folder: Path, entries: Sequence[dict[str, Any]]) -> Facts:
    file = folder / "read.json"
    file.write_text("".join(json.dumps(one) + "\n" for one in entries))
    options = TrafficOptions(threads=1, log_volume_from_gbps=GOAL.p95_from_gbps)
    return replace(facts, traffic=read_traffic([file], facts.inventory, options))


def planned(facts: Facts, goal: LogGoal) -> FlowLogBill:
    assert facts.traffic is not None
    found = writers(facts.inventory, known(facts.traffic.log_volume))
    return plan_of(facts, found, InputRequest(today=date(2026, 11, 20)), goal)


@pytest.fixture(scope="module")
def plans(made: Made) -> dict[str, FlowLogBill]:
    return {
        "percentiles": planned(made.facts, GOAL),
        "dollars": planned(made.facts, ONLY_DOLLARS),
        "unfiltered": planned(made.facts, replace(ONLY_DOLLARS, filters=False)),
    }


def settings(answer: FlowLogBill) -> dict[str, LogSettings]:
    """Return the proposed settings by the name of the subnetwork."""
    return {
        row.name.partition("/")[2]: row.proposed.settings
        for row in answer.writers
        if row.proposed is not None
    }


def writer_of(payload: dict[str, Any]) -> str:
    vpc = payload["src_vpc" if payload["reporter"] == "SRC" else "dest_vpc"]
    return str(vpc["subnetwork_name"])


def filtered(entries: Sequence[dict[str, Any]], answer: FlowLogBill) -> NDArray[np.bool_]:
    """Return which records the proposed filters keep."""
    tests = {name: keeps(one.filter_expr or "true") for name, one in settings(answer).items()}
    payloads = [one["jsonPayload"] for one in entries]
    return np.array([tests[writer_of(payload)](payload) for payload in payloads])


def counted(made: Made) -> Counted:
    """Return the records that count, priced at the mean price of their traffic."""
    facts = made.facts
    usd_per_byte = priced_edges(facts).usd_per_byte
    prices, external, names, logged = {}, {}, {}, set()
    for number, edge in enumerate(known(facts.traffic).edges):
        dst = facts.dst(edge)
        end = dst.name if dst.kind is OwnerKind.VM else dst.key
        is_external = edge.path_class.is_external_address
        prices[facts.src(edge).name, end, is_external] = usd_per_byte.get(number, 0.0)
    for instance in facts.inventory.instances:
        for nic in instance.interfaces:
            names[nic.internal_ipv4] = names[nic.external_ipv4] = instance.name
            external[nic.external_ipv4] = True
            one = facts.inventory.subnetwork_by_link.get(nic.subnetwork) if nic.subnetwork else None
            if one is not None and one.flow_logs is not None and one.flow_logs.enabled:
                logged.add(instance.name)
    rows = []
    for number, entry in enumerate(made.entries):
        payload = entry["jsonPayload"]
        connection = payload["connection"]
        sender = names.get(connection["src_ip"], "")
        if (payload["reporter"] == "SRC") != (sender in logged):
            continue
        # A receiver sees itself by its internal address, and a sender by its external one.
        ends = connection["src_ip"], connection["dest_ip"]
        is_external = any(external.get(end, False) for end in ends)
        wire = int(payload["bytes_sent"]) + packets_of(entry) * HEADER_BYTES[connection["protocol"]]
        end = names.get(connection["dest_ip"]) or _other_end(payload)
        usd = prices.get((sender, end, is_external and connection["dest_ip"] in names), 0.0)
        minute = int(payload["start_time"][11:13]) * 60 + int(payload["start_time"][14:16])
        rows.append((number, writer_of(payload), sender, minute, wire, usd * wire))
    row, writer, sent_by, minutes, wires, dollars = zip(*rows, strict=True)
    return Counted(
        np.array(row),
        np.array(writer),
        np.array(sent_by),
        np.array(minutes),
        np.array(wires, dtype=np.float64),
        np.array(dollars),
    )


def _other_end(payload: dict[str, Any]) -> str:
    if "dest_google_service" in payload:
        return f"google-api:{payload['dest_google_service'].get('service_name', 'unknown')}"
    if "dest_location" in payload:
        place = payload["dest_location"]
        return f"internet:{place['continent']}/{place['country']}"
    one, vpc = payload.get("dest_instance"), payload.get("dest_vpc")
    return f"project:{one['project_id']}/{vpc['vpc_name']}/{one['zone']}" if one and vpc else ""


def test_the_dollars_hold_as_often_as_promised(made: Made, plans: dict[str, FlowLogBill]) -> None:
    rows = counted(made)
    for name in ("dollars", "percentiles"):
        answer = plans[name]
        true_usd = float(rows.usd.sum())
        # Every record was priced, and each once.
        assert float(answer.traffic_usd_per_month or 0) == pytest.approx(true_usd, rel=1e-5)
        kept = filtered(made.entries, answer)[rows.row]
        ratio = ratios_of(answer, rows)
        chance = np.random.default_rng(11)
        estimates = [
            float((rows.usd / ratio)[kept & (chance.random(len(ratio)) < ratio)].sum())
            for _ in range(DRAWS)
        ]
        missed = np.abs(np.array(estimates) / true_usd - 1) > GOAL.dollar_error_ratio
        assert missed.mean() <= 0.1 + 0.02, name


def ratios_of(answer: FlowLogBill, rows: Counted) -> NDArray[np.float64]:
    found = settings(answer)
    # The generated flows have one record each: no interval makes fewer.
    assert {one.interval_s for one in found.values()} == {5}
    return np.array([found[str(name)].sampling_ratio for name in rows.writer], dtype=np.float64)


def test_percentiles_hold_as_often_as_promised(made: Made, plans: dict[str, FlowLogBill]) -> None:
    answer, rows = plans["percentiles"], counted(made)
    assert made.facts.traffic is not None
    promised = {
        made.facts.traffic.owners[vm.owner].name
        for vm in made.facts.traffic.vms
        if vm.egress.p95_gbps >= GOAL.p95_from_gbps
    }
    assert len(promised) == answer.p95_machine_count >= 10
    kept, ratio = filtered(made.entries, answer)[rows.row], ratios_of(answer, rows)
    assert (ratio < 1).any()
    chance = np.random.default_rng(12)
    for sender in sorted(promised):
        own = rows.sender == sender
        minute, wire, share = rows.minute[own], rows.wire[own], ratio[own]
        truth = p95(np.bincount(minute, wire, MINUTES))
        drawn = kept[own] & (chance.random((DRAWS, len(wire))) < share)
        found = [p95(np.bincount(minute[d], (wire / share)[d], MINUTES)) for d in drawn]
        missed = np.abs(np.array(found) / truth - 1) > GOAL.p95_error_ratio
        assert missed.mean() <= 0.1 + 0.04, sender


def p95(minutes: NDArray[Any]) -> float:
    rank = MINUTES - -(-95 * MINUTES // 100) + 1
    return float(np.sort(minutes)[-rank])


def test_a_machine_is_promised_as_a_whole(made: Made, plans: dict[str, FlowLogBill]) -> None:
    """Of the machines of the subnetwork that does not log, each part may be idle in most minutes.

    Before, no ratio held for such a part, and there was no answer.
    """
    goal = replace(GOAL, p95_from_gbps=0.0)
    answer = planned(made.facts, goal)
    assert answer.p95_machine_count >= plans["percentiles"].p95_machine_count
    assert all(row.proposed is not None for row in answer.writers)


def test_filtered_logs_read_to_the_same_dollars_and_percentiles(
    made: Made, plans: dict[str, FlowLogBill], tmp_path: Path
) -> None:
    for name, answer in plans.items():
        kept = filtered(made.entries, answer)
        left = [one for one, is_kept in zip(made.entries, kept, strict=True) if is_kept]
        again = with_traffic(made.facts, tmp_path, left)
        # The window is the same: its first and last minutes are there.
        assert known(again.traffic).observed_minutes == known(made.facts.traffic).observed_minutes
        assert priced_edges(again).usd_per_month == pytest.approx(
            priced_edges(made.facts).usd_per_month, rel=1e-12
        )
        floor = GOAL.p95_from_gbps
        if name == "percentiles":
            rates = [
                {
                    facts.traffic.owners[vm.owner].key: vm.egress.p95_gbps
                    for vm in facts.traffic.vms
                    if vm.egress.p95_gbps >= floor
                }
                for facts in (again, made.facts)
                if facts.traffic is not None
            ]
            assert rates[0] == rates[1]


def test_a_filter_says_what_it_leaves_out(made: Made, plans: dict[str, FlowLogBill]) -> None:
    month = 730 * 3600 / known(made.facts.traffic).month_seconds
    names = [writer_of(one["jsonPayload"]) for one in made.entries]
    for answer in (plans["dollars"], plans["percentiles"]):
        dropped = ~filtered(made.entries, answer)
        for row in answer.writers:
            assert row.proposed is not None
            told = sum(part.volume.records_per_month for part in row.proposed.left_out)
            own = np.array(names) == row.name.partition("/")[2]
            ratio = row.proposed.settings.sampling_ratio or 0.0
            # Of receivers in other projects nothing is counted on.
            assert 0.97 <= told / (dropped[own].sum() * ratio * month) <= 1 + 1e-6
            assert len(row.proposed.settings.filter_expr) <= filters.MOST_CHARACTERS
    with_filters, without = plans["dollars"], plans["unfiltered"]
    assert known(with_filters.planned_usd_per_month) < 0.8 * float(
        known(without.planned_usd_per_month)
    )
    assert not any(one.filter_expr for one in settings(without).values())
    hidden = {
        part.rules for row in with_filters.writers if row.proposed for part in row.proposed.left_out
    }
    assert filters.HIDDEN_OF_RECEIVERS in hidden
    ids = {check.rule.id for check in all_rules()}
    assert {*filters.HIDDEN_IN_ZONES, *filters.HIDDEN_OF_RECEIVERS} <= ids


def test_what_only_receivers_tell_is_kept(made: Made, plans: dict[str, FlowLogBill]) -> None:
    unlogged = {
        one.ipv4_range
        for one in made.facts.inventory.subnetworks
        if one.flow_logs is None or not one.flow_logs.enabled
    }
    assert unlogged == {"10.7.0.0/16"}
    one = {"reporter": "DEST", "connection": {"src_ip": "10.7.0.9", "dest_ip": "10.0.0.9"}}
    other = {"reporter": "DEST", "connection": {"src_ip": "10.4.0.9", "dest_ip": "10.0.0.9"}}
    for found in settings(plans["dollars"]).values():
        assert keeps(found.filter_expr)(one)
        assert not keeps(found.filter_expr)(other)


def test_a_filter_that_is_there_stays(made: Made) -> None:
    inventory = made.facts.inventory
    own = "inIpRange(connection.src_ip, '10.0.0.0/8')"
    subnetworks = tuple(
        replace(one, flow_logs=replace(one.flow_logs, filter_expr=own)) if one.flow_logs else one
        for one in inventory.subnetworks
    )
    facts = replace(made.facts, inventory=replace(inventory, subnetworks=subnetworks))
    answer = planned(facts, GOAL)
    assert {one.filter_expr for one in settings(answer).values()} == {own}
    assert not any(
        "filter-expr" in " ".join(row.proposed.command) for row in answer.writers if row.proposed
    )
    assert any("existing filters stay" in note for note in answer.notes)
