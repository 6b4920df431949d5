"""Cells of a table of paths, as people and published measurements write them."""

from collections.abc import Callable
from datetime import date
from typing import Any

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


def _type(text: str) -> str | None:
    return machine_type_of(text, CAPS)


def _place(location: str) -> tuple[str | None, str | None]:
    found = path_end(
        machine_type="n2-standard-8",
        vcpus=None,
        location=location,
        cloud="gcp",
        tier1="",
        mtu_bytes=None,
        caps=CAPS,
    )
    return found.zone, found.region


def _pods(encapsulation: str, encryption: str, note: str) -> tuple[str, str, bool]:
    found = pod_network_of(
        plugin="",
        encapsulation=encapsulation,
        encryption=encryption,
        note=note,
        is_bare_metal=False,
    )
    return found.encapsulation, found.encryption, found.is_assumed


CELLS: list[tuple[Callable[..., Any], tuple[str, ...], Any]] = [
    *((path_class_of, (one.value,), one) for one in PathClass),
    (path_class_of, ("internet-cross-cloud",), PathClass.INTERNET),
    (path_class_of, ("internet-cross-cloud-pod",), PathClass.INTERNET),
    (path_class_of, ("inter-region-external-pod",), PathClass.INTER_REGION_EXTERNAL),
    (path_class_of, ("same-zone-pod-overlay",), PathClass.SAME_ZONE_INTERNAL_POD),
    (path_class_of, ("inter-zone-pod-overlay",), PathClass.INTER_ZONE_INTERNAL_POD),
    (path_class_of, ("pod-to-service",), PathClass.SAME_ZONE_INTERNAL_POD),
    (path_class_of, ("host-to-host",), PathClass.SAME_ZONE_INTERNAL),
    *(
        (path_class_of, (text,), None)
        for text in ("", "router-forwarding", "same-zone-mixed", "same-zone", "\x1b[31m")
    ),
    # By the cell, else by the places.
    (clouds_of, ("gcp>aws", "", ""), ("gcp", "aws")),
    (clouds_of, ("gcp > azure", "", ""), ("gcp", "azure")),
    (clouds_of, ("azure", "", ""), ("azure", "azure")),
    (clouds_of, ("gcp", "aws:eu-west-1", ""), ("gcp", "gcp")),
    (clouds_of, ("", "gcp:us-east1-b", "azure:westus"), ("gcp", "azure")),
    (clouds_of, ("", "us-east1-b", ""), ("gcp", "gcp")),
    # A day, or the middle of a month or year.
    (day_of, ("2017-12-07",), date(2017, 12, 7)),
    (day_of, ("2022-1-4",), date(2022, 1, 4)),
    (day_of, ("2017-07",), date(2017, 7, 15)),
    (day_of, ("2014",), date(2014, 7, 1)),
    (day_of, ("2022-01-24T10:00:00Z",), date(2022, 1, 24)),
    (day_of, ("2022-01-24 10:00:00",), date(2022, 1, 24)),
    *(
        (day_of, (text,), None)
        for text in ("", "soon", "2022-13", "2022-02-30", "22-01-01", "0000")
    ),
    # A remark may follow a type.
    (_type, ("n2-standard-32",), "n2-standard-32"),
    (_type, ("N2-Standard-32",), "n2-standard-32"),
    (_type, ("n2-standard-8 (GKE)",), "n2-standard-8"),
    (_type, ("GKE node (n2d, 4 vCPU)",), "n2d-standard-4"),
    (_type, ("n2-custom-8-16384",), "n2-custom-8-16384"),
    (_type, ("m5.8xlarge",), "m5.8xlarge"),
    (_type, ("",), None),
    *((is_yes, (text,), True) for text in ("true", "TIER_1", "1", "yes")),
    *((is_yes, (text,), False) for text in ("", "no")),
    (_place, ("gcp:us-central1-a",), ("us-central1-a", "us-central1")),
    (_place, ("us-central1",), (None, "us-central1")),
    (_place, ("azure:westus",), (None, "westus")),
    (_place, ("",), (None, None)),
    (_pods, ("vxlan", "", ""), ("vxlan", "none", False)),
    (_pods, ("IPIP, cross-subnet", "", ""), ("ipip", "none", False)),
    (_pods, ("vxlan", "wireguard", ""), ("vxlan", "wireguard", False)),
    (_pods, ("", "IPsec", ""), ("none", "ipsec", False)),
    (_pods, ("", "", "geneve"), ("geneve", "none", False)),
    # What nobody said is assumed.
    (_pods, ("", "", ""), ("none", "none", True)),
]


@listed(("reader", "cells", "expected"), CELLS)
def test_a_cell_is_what_it_says(
    reader: Callable[..., Any], cells: tuple[str, ...], expected: Any
) -> None:
    found = reader(*cells)
    assert found == expected
    assert type(found) is type(expected)


@given(st.dates(date(2000, 1, 1)), st.text(max_size=30))
def test_every_date_reads_back_and_no_text_breaks_it(day: date, text: str) -> None:
    assert day_of(day.isoformat()) == day
    assert day_of(text) is None or isinstance(day_of(text), date)


@listed("text", ["customer VM", "n2d with 5 vCPU", "two words"])
def test_what_is_no_type_keeps_its_name_and_has_no_cap(text: str) -> None:
    found = machine_type_of(text, CAPS)
    assert found is not None
    assert not CAPS.variants(found)


def test_the_rest_of_the_cells() -> None:
    end = path_end(
        machine_type="n2-standard-32",
        vcpus=32.0,
        location="",
        cloud="gcp",
        tier1="TIER_1",
        mtu_bytes=8896,
        caps=CAPS,
    )
    assert (end.vcpus, end.is_tier1, end.mtu_bytes) == (32, True, 8896)
    found = pod_network_of(plugin="", encapsulation="", encryption="", note="", is_bare_metal=True)
    assert (found.is_assumed, found.is_bare_metal) == (True, True)
