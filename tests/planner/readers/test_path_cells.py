"""Cells of a table of paths: classes, clouds, machine types, dates, and what they do not say."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.model import PathClass
from netplan_planner.readers.paths.path_cells import (
    clouds_of,
    day_of,
    is_yes,
    machine_type_of,
    path_class_of,
    path_end,
    pod_network_of,
)
from netplan_planner.throughput import load_caps
from support.listed import listed

CAPS = load_caps(date(2026, 11, 21))


class TestClass:
    @listed("path_class", PathClass)
    def test_our_own_spelling(self, path_class: PathClass) -> None:
        assert path_class_of(path_class.value) is path_class

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("internet-cross-cloud", PathClass.INTERNET),
            ("internet-cross-cloud-pod", PathClass.INTERNET),
            ("inter-region-external-pod", PathClass.INTER_REGION_EXTERNAL),
            ("same-zone-pod-overlay", PathClass.SAME_ZONE_INTERNAL_POD),
            ("inter-zone-pod-overlay", PathClass.INTER_ZONE_INTERNAL_POD),
            ("pod-to-service", PathClass.SAME_ZONE_INTERNAL_POD),
            ("host-to-host", PathClass.SAME_ZONE_INTERNAL),
        ],
    )
    def test_that_of_published_measurements(self, text: str, expected: PathClass) -> None:
        assert path_class_of(text) is expected

    @pytest.mark.parametrize(
        "text", ["", "router-forwarding", "same-zone-mixed", "same-zone", "\x1b[31m"]
    )
    def test_another_one_is_none(self, text: str) -> None:
        assert path_class_of(text) is None


class TestClouds:
    @pytest.mark.parametrize(
        ("text", "src", "dst", "expected"),
        [
            ("gcp>aws", "", "", ("gcp", "aws")),
            ("gcp > azure", "", "", ("gcp", "azure")),
            ("azure", "", "", ("azure", "azure")),
            ("gcp", "aws:eu-west-1", "", ("gcp", "gcp")),
            ("", "gcp:us-east1-b", "azure:westus", ("gcp", "azure")),
            ("", "us-east1-b", "", ("gcp", "gcp")),
        ],
    )
    def test_by_the_cell_else_by_the_places(
        self, text: str, src: str, dst: str, expected: tuple[str, str]
    ) -> None:
        assert clouds_of(text, src, dst) == expected


class TestDay:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("2017-12-07", date(2017, 12, 7)),
            ("2022-1-4", date(2022, 1, 4)),
            ("2017-07", date(2017, 7, 15)),
            ("2014", date(2014, 7, 1)),
            ("2022-01-24T10:00:00Z", date(2022, 1, 24)),
            ("2022-01-24 10:00:00", date(2022, 1, 24)),
        ],
    )
    def test_a_day_or_the_middle_of_a_month_or_year(self, text: str, expected: date) -> None:
        assert day_of(text) == expected

    @pytest.mark.parametrize("text", ["", "soon", "2022-13", "2022-02-30", "22-01-01", "0000"])
    def test_what_is_no_date_is_none(self, text: str) -> None:
        assert day_of(text) is None

    @given(st.dates(date(2000, 1, 1)))
    def test_every_date_reads_back(self, day: date) -> None:
        assert day_of(day.isoformat()) == day

    @given(st.text(max_size=30))
    def test_no_text_breaks_it(self, text: str) -> None:
        assert day_of(text) is None or isinstance(day_of(text), date)


class TestMachineType:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("n2-standard-32", "n2-standard-32"),
            ("N2-Standard-32", "n2-standard-32"),
            ("n2-standard-8 (GKE)", "n2-standard-8"),
            ("GKE node (n2d, 4 vCPU)", "n2d-standard-4"),
            ("n2-custom-8-16384", "n2-custom-8-16384"),
            ("m5.8xlarge", "m5.8xlarge"),
            ("", None),
        ],
    )
    def test_a_remark_may_follow(self, text: str, expected: str | None) -> None:
        assert machine_type_of(text, CAPS) == expected

    @pytest.mark.parametrize("text", ["customer VM", "n2d with 5 vCPU", "two words"])
    def test_what_is_none_keeps_its_name_and_has_no_cap(self, text: str) -> None:
        found = machine_type_of(text, CAPS)
        assert found is not None
        assert not CAPS.variants(found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("true", True), ("TIER_1", True), ("1", True), ("yes", True), ("", False), ("no", False)],
)
def test_yes(text: str, expected: bool) -> None:
    assert is_yes(text) is expected


class TestEnd:
    @pytest.mark.parametrize(
        ("location", "zone", "region"),
        [
            ("gcp:us-central1-a", "us-central1-a", "us-central1"),
            ("us-central1", None, "us-central1"),
            ("azure:westus", None, "westus"),
            ("", None, None),
        ],
    )
    def test_a_place_is_a_zone_or_a_region(
        self, location: str, zone: str | None, region: str | None
    ) -> None:
        found = path_end(
            machine_type="n2-standard-8",
            vcpus=None,
            location=location,
            cloud="gcp",
            tier1="",
            mtu_bytes=None,
            caps=CAPS,
        )
        assert (found.zone, found.region) == (zone, region)

    def test_the_rest_of_the_cells(self) -> None:
        found = path_end(
            machine_type="n2-standard-32",
            vcpus=32.0,
            location="",
            cloud="gcp",
            tier1="TIER_1",
            mtu_bytes=8896,
            caps=CAPS,
        )
        assert (found.vcpus, found.is_tier1, found.mtu_bytes) == (32, True, 8896)


class TestPodNetwork:
    @pytest.mark.parametrize(
        ("encapsulation", "encryption", "note", "expected"),
        [
            ("vxlan", "", "", ("vxlan", "none")),
            ("IPIP, cross-subnet", "", "", ("ipip", "none")),
            ("vxlan", "wireguard", "", ("vxlan", "wireguard")),
            ("", "IPsec", "", ("none", "ipsec")),
            ("", "", "geneve", ("geneve", "none")),
        ],
    )
    def test_as_the_cells_say(
        self, encapsulation: str, encryption: str, note: str, expected: tuple[str, str]
    ) -> None:
        found = pod_network_of(
            plugin="",
            encapsulation=encapsulation,
            encryption=encryption,
            note=note,
            is_bare_metal=False,
        )
        assert (found.encapsulation, found.encryption) == expected
        assert not found.is_assumed

    def test_what_nobody_said_is_assumed(self) -> None:
        found = pod_network_of(
            plugin="", encapsulation="", encryption="", note="", is_bare_metal=True
        )
        assert found.is_assumed
        assert found.is_bare_metal
        assert (found.encapsulation, found.encryption) == ("none", "none")
