"""The limits of a pod's path: names, physics, order, one implementation for one and many."""

import csv
import math
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.errors import MissingDatum, UsageError
from netplan_planner.model import Limit, LimitKind
from netplan_planner.throughput.limits.pods import overlay
from netplan_planner.throughput.limits.pods.overlay import (
    ENCRYPTION,
    HEADER,
    INTERFACE,
    PACKETS,
    STREAM,
)
from netplan_planner.throughput.limits.pods.tables import (
    ENCRYPTIONS,
    encapsulation_of,
    encapsulations,
)
from netplan_planner.throughput.limits.tables import DATA
from netplan_planner.throughput.services import known_service, transactions_per_s
from support.listed import listed
from support.paths.pod_rates import pod_rates
from support.projects.shared_data import needs_shared, shared

TODAY, THEN = date(2026, 11, 21), date(2020, 8, 31)
PLAIN: dict[str, Any] = {
    "encapsulation": "vxlan",
    "encryption": "none",
    "mtu_bytes": 1410,
    "streams": 1,
    "host_gbps": 10.0,
    "host_single_flow_gbps": 24.0,
    "as_of": TODAY,
}
RATES = st.floats(0.5, 200)
QUESTIONS = st.fixed_dictionaries(
    {
        "encapsulation": st.sampled_from(encapsulations()),
        "encryption": st.sampled_from(ENCRYPTIONS),
        "mtu_bytes": st.floats(600, 8896),
        "streams": st.floats(1, 128),
        "host_gbps": RATES,
        "host_single_flow_gbps": RATES,
        "as_of": st.sampled_from([THEN, date(2022, 9, 1), TODAY]),
    }
)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def limits_of(**question: Any) -> dict[str, Limit]:
    return {limit.name: limit for limit in overlay.overlay_limits(**PLAIN | question)}


def by_name(**question: Any) -> dict[str, float]:
    return {name: limit.gbps for name, limit in limits_of(**question).items()}


class TestLimits:
    @given(QUESTIONS, st.booleans())
    def test_each_has_a_source_a_range_and_a_way_out(
        self, question: dict[str, Any], is_bare_metal: bool
    ) -> None:
        found = limits_of(**question, other_link_gbps=1.0, is_bare_metal=is_bare_metal)
        limits = list(found.values())
        assert [limit.gbps for limit in limits] == sorted(limit.gbps for limit in limits)
        assert {STREAM, INTERFACE} <= found.keys()
        assert found.keys() <= {STREAM, INTERFACE, HEADER, PACKETS, ENCRYPTION}
        for limit in limits:
            assert limit.low_gbps is not None
            assert limit.high_gbps is not None
            assert 0 < limit.low_gbps <= limit.gbps <= limit.high_gbps
            assert limit.source
            assert limit.detail
            assert limit.lifted_by
        assert HEADER not in found or found[HEADER].gbps <= question["host_gbps"]

    def test_which_there_are(self) -> None:
        # Routing without encapsulation has only the stream.
        assert by_name(encapsulation="none") == {STREAM: pytest.approx(0.66 * 24)}
        # As many streams as it takes leave headers and encryption.
        assert by_name(streams=None, encryption="wireguard").keys() == {HEADER, ENCRYPTION}
        assert STREAM not in by_name(host_single_flow_gbps=None)
        # Without encapsulation packets only held old kernels back.
        assert PACKETS in by_name(encapsulation="none", as_of=THEN)
        assert PACKETS not in by_name(encapsulation="none", as_of=date(2022, 9, 1))
        # A tunnel that encrypts needs no second name.
        tunnel = by_name(encapsulation="wireguard")
        assert tunnel == by_name(encapsulation="wireguard", encryption="wireguard")

    def test_headers(self) -> None:
        # 1408 of payload in 1460 without it, 1358 in 1410 with it, and the frame is the same.
        assert by_name()[HEADER] == pytest.approx(10 * 1358 / 1408)
        # kube-router of 2020 kept an MTU of 1500 on nodes with 9000, and pays for it.
        small = by_name(encapsulation="none", mtu_bytes=1500, host_mtu_bytes=9000)
        assert small[HEADER] == pytest.approx(10 * (1448 / 1538) / (8948 / 9038))
        # A pod cannot send more than fits into the node's packets.
        assert by_name(mtu_bytes=1460, host_mtu_bytes=1460) == by_name(mtu_bytes=1410)

    def test_documented_and_measured_are_told_apart(self) -> None:
        found = limits_of(encapsulation="ipip", encryption="ipsec", mtu_bytes=1378, streams=2)
        assert {name: limit.kind for name, limit in found.items()} == {
            HEADER: LimitKind.DOCUMENTED,
            **dict.fromkeys((STREAM, PACKETS, ENCRYPTION), LimitKind.MEASURED),
        }
        assert found[HEADER].source == "RFC 2003; RFC 4303, RFC 4106"
        assert found[HEADER].detail == "ipip and ipsec: 82 bytes around packets of 1378"

    @listed(
        "question, error, text",
        [
            ({"encapsulation": "vxlna"}, UsageError, "did you mean vxlan"),
            ({"encapsulation": "x"}, UsageError, "netplan knows none, vxlan"),
            ({"encryption": "wirequard"}, UsageError, "did you mean wireguard"),
            ({"encryption": "ipip"}, UsageError, "Unknown encryption"),
            *(
                (question, ValueError, "above 0|no payload")
                for question in ({"mtu_bytes": 0}, {"streams": 0}, {"host_gbps": -1.0})
            ),
            ({"host_mtu_bytes": 90}, ValueError, "above 0|no payload"),
        ],
    )
    def test_what_cannot_be_is_refused(
        self, question: dict[str, Any], error: type[Exception], text: str
    ) -> None:
        with pytest.raises(error, match=text):
            by_name(**question)


def two(limit: str, change: str, values: tuple[Any, Any], **question: Any) -> tuple[float, float]:
    """Return a limit for two values of one part of the question."""
    one, other = (by_name(**question | {change: value})[limit] for value in values)
    return one, other


class TestPhysics:
    def test_more_streams_help_neither_encryption_nor_user_space(self) -> None:
        one, many = two(ENCRYPTION, "streams", (1, 64), encryption="wireguard")
        assert one == many
        one, many = two(PACKETS, "streams", (1, 64), encapsulation="udp")
        assert one == many == pytest.approx(1.3, abs=0.1)
        # The kernel's encapsulation grows with them.
        one, many = two(PACKETS, "streams", (1, 8))
        assert many == pytest.approx(8 * one)

    def test_greater_packets_help_encryption_four_times(self) -> None:
        small, great = (
            by_name(encryption="wireguard", mtu_bytes=mtu, host_mtu_bytes=mtu)[ENCRYPTION]
            for mtu in (1460, 8896)
        )
        assert great / small == pytest.approx(4.6, abs=0.2)

    @pytest.mark.parametrize("cipher", ["wireguard", "ipsec"])
    def test_a_whole_machine_encrypts_faster_than_a_virtual_one(self, cipher: str) -> None:
        virtual, whole = two(ENCRYPTION, "is_bare_metal", (False, True), encryption=cipher)
        assert whole > 1.3 * virtual

    def test_ipsec_gained_with_kernels_and_processors(self) -> None:
        days = (date(2021, 12, 31), date(2022, 1, 1))
        then, now = two(ENCRYPTION, "as_of", days, encryption="ipsec", mtu_bytes=8838)
        assert now > 2 * then

    @needs_shared
    def test_gateways_add_up_by_core(self) -> None:
        # Aviatrix: 128 streams through tunnels of their own, so that every vCPU has its share.
        per_core = [
            float(row["value"]) / float(row["vcpus"])
            for row in rows(shared("data/measurements/public_measurements.csv"))
            if row["source"] == "aviatrix-gcp-gateways" and row["cloud"] == "gcp"
        ]
        both = {"encapsulation": "ipsec", "encryption": "ipsec", "as_of": date(2021, 6, 30)}
        many = {"mtu_bytes": 1398, "streams": None, "host_single_flow_gbps": None}
        limit = limits_of(**both, **many, host_gbps=32)[ENCRYPTION]
        assert len(per_core) == 4
        assert limit.low_gbps is not None
        assert limit.high_gbps is not None
        assert limit.low_gbps < min(per_core) <= max(per_core) < limit.high_gbps
        assert [limit.gbps] * 4 == pytest.approx(per_core, rel=0.26)

    def test_through_the_wrong_interface_the_path_gets_the_other_link(self) -> None:
        found = by_name(other_link_gbps=1.0, mtu_bytes=1450)
        assert min(found, key=lambda name: found[name]) == INTERFACE
        assert found[INTERFACE] == pytest.approx(1398 / 1538)

    def test_a_database_on_it_falls_to_what_the_other_link_carries(self) -> None:
        # Cilium, Weave and Flannel in the talk: what they did says nothing of their own cost.
        there = PLAIN | {"streams": 64, "host_single_flow_gbps": math.nan}
        there |= {"as_of": date(2019, 11, 30), "other_link_gbps": 1.0}
        host, pod = (
            float(pod_rates(**there | {"encapsulation": name, "mtu_bytes": mtu}).gbps[0])
            for name, mtu in (("none", 1500), ("vxlan", 1450))
        )
        found = transactions_per_s(known_service("percona-xtradb-sysbench-oltp"), gbps=pod / host)
        assert 2550 < found.tps < 2650


class TestMany:
    @given(st.lists(QUESTIONS, min_size=1, max_size=12), st.booleans())
    def test_a_table_gives_what_single_questions_give(
        self, questions: list[dict[str, Any]], is_bare_metal: bool
    ) -> None:
        columns: dict[str, Any] = {name: [one[name] for one in questions] for name in questions[0]}
        found = pod_rates(**columns, is_bare_metal=is_bare_metal)
        for index, question in enumerate(questions):
            limits = list(limits_of(**question, is_bare_metal=is_bare_metal).values())
            host = question["host_gbps"]
            least = min([host, *(limit.gbps for limit in limits)])
            assert found.gbps[index] == pytest.approx(least, rel=1e-12)
            if limits[0].gbps < host:
                assert found.binding[index] == limits[0].name
            assert found.low_gbps[index] <= found.gbps[index] <= found.high_gbps[index]

    @given(
        question=QUESTIONS,
        greater=st.floats(0, 3000),
        more=st.floats(1, 8),
        host_mtu=st.one_of(st.just(math.nan), st.floats(700, 9000)),
    )
    def test_greater_packets_more_streams_and_better_hosts_never_lower_the_rate(
        self, question: dict[str, Any], greater: float, more: float, host_mtu: float
    ) -> None:
        better = {
            "mtu_bytes": question["mtu_bytes"] + greater,
            **{
                name: question[name] * more
                for name in ("streams", "host_gbps", "host_single_flow_gbps")
            },
        }
        columns = {
            name: [
                question[name],
                *(value if name == other else question[name] for other in better),
            ]
            for name, value in better.items()
        }
        found = pod_rates(**question | columns, host_mtu_bytes=host_mtu)
        for column in (found.gbps, found.low_gbps, found.high_gbps):
            assert np.all(column[1:] >= column[0] * (1 - 1e-12))
        assert found.gbps[0] <= question["host_gbps"]

    def test_what_is_not_known_stays_unknown(self) -> None:
        unknown = {
            "encapsulation": ["vxlan", "vxlan", "", "vxlan"],
            "encryption": ["none", "none", "none", "rot13"],
            "mtu_bytes": [1410, math.nan, 1410, 1410],
            "host_gbps": [math.nan, 10, 10, 10],
            "host_single_flow_gbps": math.nan,
        }
        found = pod_rates(**PLAIN | unknown)
        assert np.isnan(found.gbps).all()
        assert np.isnan(found.low_gbps).all()
        assert found.binding.tolist() == [""] * 4
        with pytest.raises(ValueError, match="shape"):
            pod_rates(**PLAIN | unknown | {"mtu_bytes": [1410, 1460]})


class TestPlugins:
    @listed(
        "written, encapsulation, encryption",
        [
            ("Calico", "ipip", "none"),
            ("canal", "vxlan", "none"),
            ("Weave Net", "vxlan", "none"),
            ("kube_router", "none", "none"),
            ("GKE Dataplane V2", "none", "none"),
            ("flannel-udp", "udp", "none"),
            ("Constellation", "vxlan", "wireguard"),
        ],
    )
    def test_what_they_use_by_default(
        self, written: str, encapsulation: str, encryption: str
    ) -> None:
        found = encapsulation_of(written)
        assert (found.encapsulation, found.encryption) == (encapsulation, encryption)
        assert found.source

    @pytest.mark.parametrize(
        ("name", "text"),
        [("callico", "did you mean calico"), ("my own", "Give the encapsulation")],
    )
    def test_an_unknown_one_is_missing(self, name: str, text: str) -> None:
        with pytest.raises(MissingDatum, match=text):
            encapsulation_of(name)

    @needs_shared
    def test_they_agree_with_the_collected_measurements(self) -> None:
        for row in rows(shared("data/measurements/cni_measurements.csv")):
            name, variant = row["plugin"], row["variant"]
            if variant not in {name, f"doc-{name}"} or row["encryption"] != "none":
                continue
            if name not in {"baremetal", "none"}:
                used = row["encapsulation"].split(" ")[0]
                assert encapsulation_of(name.replace(" ", "-")).encapsulation == used


def test_every_row_of_the_tables_is_known_has_a_range_and_a_dated_source() -> None:
    plugins, terms = rows(DATA / "pod_plugins.csv"), rows(DATA / "pod_overlays.csv")
    for row in (*plugins, *terms):
        assert row["source"]
        assert date.fromisoformat(row["source_date"])
    for row in plugins:
        assert row["encapsulation"] in encapsulations()
        assert row["encryption"] in ENCRYPTIONS
    for row in terms:
        assert 0 <= float(row["low"]) <= float(row["value"]) <= float(row["high"])
        assert row["unit"] in {"bytes", "ratio", "s"}
