"""The limits of a pod's path: names, physics, order, one implementation for one and many."""

import csv
import math
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.errors import MissingDatum, UsageError
from netplan_planner.model import LimitKind
from netplan_planner.throughput.limits.pods.overlay import (
    ENCRYPTION,
    ENCRYPTIONS,
    HEADER,
    INTERFACE,
    PACKETS,
    STREAM,
    encapsulation_of,
    encapsulations,
    overlay_limits,
)
from netplan_planner.throughput.limits.tables import DATA
from netplan_planner.throughput.services.application import known_service, transactions_per_s
from support.paths.pod_rates import pod_rates
from support.projects.shared_data import needs_shared, shared

TODAY = date(2026, 11, 21)
THEN = date(2020, 8, 31)

any_overlay = st.sampled_from(
    [(name, cipher) for name in encapsulations() for cipher in ENCRYPTIONS]
)
any_day = st.sampled_from([THEN, date(2022, 9, 1), TODAY])
mtus = st.floats(600, 8896)
rates = st.floats(0.5, 200)


def by_name(**question: object) -> dict[str, float]:
    base: dict[str, object] = {
        "encapsulation": "vxlan",
        "encryption": "none",
        "mtu_bytes": 1410,
        "streams": 1,
        "host_gbps": 10.0,
        "host_single_flow_gbps": 24.0,
        "as_of": TODAY,
    }
    limits = overlay_limits(**(base | question))  # type: ignore[arg-type]
    return {limit.name: limit.gbps for limit in limits}


class TestLimits:
    @given(
        overlay=any_overlay,
        mtu=mtus,
        streams=st.floats(1, 128),
        host=rates,
        single=rates,
        day=any_day,
        is_bare_metal=st.booleans(),
    )
    def test_each_has_a_source_a_range_and_a_way_out(
        self,
        overlay: tuple[str, str],
        mtu: float,
        streams: float,
        host: float,
        single: float,
        day: date,
        is_bare_metal: bool,
    ) -> None:
        limits = overlay_limits(
            encapsulation=overlay[0],
            encryption=overlay[1],
            mtu_bytes=mtu,
            streams=streams,
            host_gbps=host,
            host_single_flow_gbps=single,
            as_of=day,
            other_link_gbps=1.0,
            is_bare_metal=is_bare_metal,
        )
        assert [limit.gbps for limit in limits] == sorted(limit.gbps for limit in limits)
        names = {limit.name for limit in limits}
        assert {STREAM, INTERFACE} <= names <= {STREAM, INTERFACE, HEADER, PACKETS, ENCRYPTION}
        for limit in limits:
            assert limit.low_gbps is not None
            assert limit.high_gbps is not None
            assert 0 < limit.low_gbps <= limit.gbps <= limit.high_gbps
            assert limit.source
            assert limit.detail
            assert limit.lifted_by
        assert all(limit.gbps <= host for limit in limits if limit.name == HEADER)

    def test_routing_without_encapsulation_has_only_the_stream(self) -> None:
        assert by_name(encapsulation="none") == {STREAM: pytest.approx(0.66 * 24)}

    def test_as_many_streams_as_it_takes_leave_headers_and_encryption(self) -> None:
        assert set(by_name(streams=None, encryption="wireguard")) == {HEADER, ENCRYPTION}

    def test_a_stream_of_the_host_that_is_not_known_limits_nothing(self) -> None:
        assert STREAM not in by_name(host_single_flow_gbps=None)

    def test_vxlan_takes_its_50_bytes(self) -> None:
        # 1408 of payload in 1460 without it, 1358 in 1410 with it, and the frame is the same.
        assert by_name()[HEADER] == pytest.approx(10 * 1358 / 1408)

    def test_a_pod_that_keeps_a_small_mtu_pays_for_it(self) -> None:
        # kube-router of 2020: 1500 on nodes with 9000.
        found = by_name(encapsulation="none", mtu_bytes=1500, host_mtu_bytes=9000)
        assert found[HEADER] == pytest.approx(10 * (1448 / 1538) / (8948 / 9038))

    def test_a_pod_cannot_send_more_than_fits_into_the_nodes_packets(self) -> None:
        assert by_name(mtu_bytes=1460, host_mtu_bytes=1460) == by_name(mtu_bytes=1410)

    def test_documented_and_measured_are_told_apart(self) -> None:
        limits = overlay_limits(
            encapsulation="ipip",
            encryption="ipsec",
            mtu_bytes=1378,
            streams=2,
            host_gbps=10,
            host_single_flow_gbps=24,
            as_of=TODAY,
        )
        kinds = {limit.name: limit.kind for limit in limits}
        assert kinds == {
            HEADER: LimitKind.DOCUMENTED,
            STREAM: LimitKind.MEASURED,
            PACKETS: LimitKind.MEASURED,
            ENCRYPTION: LimitKind.MEASURED,
        }
        header = next(limit for limit in limits if limit.name == HEADER)
        assert header.source == "RFC 2003; RFC 4303, RFC 4106"
        assert header.detail == "ipip and ipsec: 82 bytes around packets of 1378"

    def test_a_tunnel_that_encrypts_needs_no_second_name(self) -> None:
        assert by_name(encapsulation="wireguard") == by_name(
            encapsulation="wireguard", encryption="wireguard"
        )

    @pytest.mark.parametrize(
        ("question", "text"),
        [
            ({"encapsulation": "vxlna"}, "is vxlan meant"),
            ({"encapsulation": "x"}, "netplan knows none, vxlan"),
            ({"encryption": "wirequard"}, "is wireguard meant"),
            ({"encryption": "ipip"}, "No encryption of the name"),
        ],
    )
    def test_a_name_that_is_none_is_refused(self, question: dict[str, object], text: str) -> None:
        with pytest.raises(UsageError, match=text):
            by_name(**question)

    @pytest.mark.parametrize(
        "question",
        [{"mtu_bytes": 0}, {"streams": 0}, {"host_gbps": -1.0}, {"host_mtu_bytes": 90}],
    )
    def test_a_number_that_cannot_be_is_refused(self, question: dict[str, object]) -> None:
        with pytest.raises(ValueError, match=r"above 0|no payload"):
            by_name(**question)


class TestEncryption:
    def test_more_streams_do_not_help(self) -> None:
        one, many = (by_name(encryption="wireguard", streams=n)[ENCRYPTION] for n in (1, 64))
        assert one == many

    def test_greater_packets_help_four_times(self) -> None:
        small, great = (
            by_name(encryption="wireguard", mtu_bytes=mtu, host_mtu_bytes=mtu)[ENCRYPTION]
            for mtu in (1460, 8896)
        )
        assert great / small == pytest.approx(4.6, abs=0.2)

    @pytest.mark.parametrize("cipher", ["wireguard", "ipsec"])
    def test_a_whole_machine_is_faster_than_a_virtual_one(self, cipher: str) -> None:
        whole, virtual = (
            by_name(encryption=cipher, is_bare_metal=is_whole)[ENCRYPTION]
            for is_whole in (True, False)
        )
        assert whole > 1.3 * virtual

    def test_ipsec_gained_with_kernels_and_processors(self) -> None:
        then, now = (
            by_name(encryption="ipsec", mtu_bytes=8838, as_of=day)[ENCRYPTION]
            for day in (date(2021, 12, 31), date(2022, 1, 1))
        )
        assert now > 2 * then

    @needs_shared
    def test_gateways_add_up_by_core(self) -> None:
        # Aviatrix: 128 streams through tunnels of their own, so that every vCPU has its share.
        with shared("data/measurements/public_measurements.csv").open(encoding="utf-8") as file:
            rows = [
                row
                for row in csv.DictReader(file)
                if row["source"] == "aviatrix-gcp-gateways" and row["cloud"] == "gcp"
            ]
        (limit,) = (
            limit
            for limit in overlay_limits(
                encapsulation="ipsec",
                encryption="ipsec",
                mtu_bytes=1398,
                streams=None,
                host_gbps=32,
                host_single_flow_gbps=None,
                as_of=date(2021, 6, 30),
            )
            if limit.name == ENCRYPTION
        )
        assert len(rows) == 4
        assert limit.low_gbps is not None
        assert limit.high_gbps is not None
        for row in rows:
            per_core = float(row["value"]) / float(row["vcpus"])
            assert limit.low_gbps < per_core < limit.high_gbps
            assert limit.gbps == pytest.approx(per_core, rel=0.26)


class TestPackets:
    def test_user_space_encapsulation_does_not_grow_with_streams(self) -> None:
        one, many = (by_name(encapsulation="udp", streams=n)[PACKETS] for n in (1, 64))
        assert one == many == pytest.approx(1.3, abs=0.1)

    def test_the_kernels_does(self) -> None:
        one, many = (by_name(streams=n)[PACKETS] for n in (1, 8))
        assert many == pytest.approx(8 * one)

    def test_without_encapsulation_packets_only_held_old_kernels_back(self) -> None:
        assert PACKETS in by_name(encapsulation="none", as_of=THEN)
        assert PACKETS not in by_name(encapsulation="none", as_of=date(2022, 9, 1))


class TestWrongInterface:
    def test_the_path_gets_the_other_link(self) -> None:
        found = by_name(other_link_gbps=1.0, mtu_bytes=1450)
        assert min(found, key=lambda name: found[name]) == INTERFACE
        assert found[INTERFACE] == pytest.approx(1398 / 1538)

    def test_a_database_on_it_falls_to_what_the_other_link_carries(self) -> None:
        # Cilium, Weave and Flannel in the talk: what they did says nothing of their own cost.
        host, pod = (
            float(
                pod_rates(
                    encapsulation=name,
                    encryption="none",
                    mtu_bytes=mtu,
                    streams=64,
                    host_gbps=10.0,
                    host_single_flow_gbps=math.nan,
                    as_of=date(2019, 11, 30),
                    other_link_gbps=1.0,
                ).gbps[0]
            )
            for name, mtu in (("none", 1500), ("vxlan", 1450))
        )
        found = transactions_per_s(known_service("percona-xtradb-sysbench-oltp"), gbps=pod / host)
        assert 2550 < found.tps < 2650


class TestMany:
    @given(
        rows=st.lists(
            st.tuples(any_overlay, mtus, st.floats(1, 128), rates, rates, any_day),
            min_size=1,
            max_size=12,
        ),
        is_bare_metal=st.booleans(),
    )
    def test_a_table_gives_what_single_questions_give(
        self,
        rows: list[tuple[tuple[str, str], float, float, float, float, date]],
        is_bare_metal: bool,
    ) -> None:
        overlays, mtu, streams, host, single, days = zip(*rows, strict=True)
        found = pod_rates(
            encapsulation=[name for name, _ in overlays],
            encryption=[cipher for _, cipher in overlays],
            mtu_bytes=np.array(mtu),
            streams=np.array(streams),
            host_gbps=np.array(host),
            host_single_flow_gbps=np.array(single),
            as_of=days,
            is_bare_metal=is_bare_metal,
        )
        for index, (overlay, *numbers, day) in enumerate(rows):
            limits = overlay_limits(
                encapsulation=overlay[0],
                encryption=overlay[1],
                mtu_bytes=numbers[0],
                streams=numbers[1],
                host_gbps=numbers[2],
                host_single_flow_gbps=numbers[3],
                as_of=day,
                is_bare_metal=is_bare_metal,
            )
            least = min([limit.gbps for limit in limits] + [numbers[2]])
            assert found.gbps[index] == pytest.approx(least, rel=1e-12)
            if limits[0].gbps < numbers[2]:
                assert found.binding[index] == limits[0].name
            assert found.low_gbps[index] <= found.gbps[index] <= found.high_gbps[index]

    @given(
        overlay=any_overlay,
        mtu=mtus,
        greater=st.floats(0, 3000),
        streams=st.floats(1, 64),
        more=st.floats(1, 8),
        host=rates,
        single=rates,
        host_mtu=st.one_of(st.just(math.nan), st.floats(700, 9000)),
        day=any_day,
    )
    def test_greater_packets_more_streams_and_better_hosts_never_lower_the_rate(
        self,
        overlay: tuple[str, str],
        mtu: float,
        greater: float,
        streams: float,
        more: float,
        host: float,
        single: float,
        host_mtu: float,
        day: date,
    ) -> None:
        found = pod_rates(
            encapsulation=overlay[0],
            encryption=overlay[1],
            mtu_bytes=[mtu, mtu + greater, mtu, mtu, mtu],
            streams=[streams, streams, streams * more, streams, streams],
            host_gbps=[host, host, host, host * more, host],
            host_single_flow_gbps=[single, single, single, single, single * more],
            host_mtu_bytes=host_mtu,
            as_of=day,
        )
        for column in (found.gbps, found.low_gbps, found.high_gbps):
            assert np.all(column[1:] >= column[0] * (1 - 1e-12))
        assert found.gbps[0] <= host

    def test_what_is_not_known_stays_unknown(self) -> None:
        found = pod_rates(
            encapsulation=["vxlan", "vxlan", "", "vxlan"],
            encryption=["none", "none", "none", "rot13"],
            mtu_bytes=[1410, math.nan, 1410, 1410],
            streams=1,
            host_gbps=[math.nan, 10, 10, 10],
            host_single_flow_gbps=math.nan,
            as_of=TODAY,
        )
        assert np.isnan(found.gbps).all()
        assert np.isnan(found.low_gbps).all()
        assert found.binding.tolist() == [""] * 4

    def test_columns_of_different_length_are_refused(self) -> None:
        with pytest.raises(ValueError, match="shape"):
            pod_rates(
                encapsulation=["vxlan", "none", "ipip"],
                encryption="none",
                mtu_bytes=[1410, 1460],
                streams=1,
                host_gbps=10,
                host_single_flow_gbps=math.nan,
                as_of=TODAY,
            )


class TestPlugins:
    @pytest.mark.parametrize(
        ("written", "encapsulation", "encryption"),
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

    def test_an_unknown_one_is_missing(self) -> None:
        with pytest.raises(MissingDatum, match="is one of calico"):
            encapsulation_of("callico")
        with pytest.raises(MissingDatum, match="Give the encapsulation itself"):
            encapsulation_of("my own")

    def test_every_default_is_one_that_the_model_knows(self) -> None:
        with (DATA / "pod_plugins.csv").open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                assert row["encapsulation"] in encapsulations()
                assert row["encryption"] in ENCRYPTIONS
                assert row["source"]
                assert date.fromisoformat(row["source_date"])

    @needs_shared
    def test_they_agree_with_the_collected_measurements(self) -> None:
        with shared("data/measurements/cni_measurements.csv").open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                name, variant = row["plugin"], row["variant"]
                if variant not in {name, f"doc-{name}"} or row["encryption"] != "none":
                    continue
                if name not in {"baremetal", "none"}:
                    used = row["encapsulation"].split(" ")[0]
                    assert encapsulation_of(name.replace(" ", "-")).encapsulation == used


def test_every_quantity_has_a_range_and_a_dated_source() -> None:
    with (DATA / "pod_overlays.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            assert 0 <= float(row["low"]) <= float(row["value"]) <= float(row["high"])
            assert row["source"]
            assert date.fromisoformat(row["source_date"])
            assert row["unit"] in {"bytes", "ratio", "s"}
