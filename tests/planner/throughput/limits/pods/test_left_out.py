"""How well the pod model does on plugins that its quantities were not taken from.

Every measured quantity of `data/pod_overlays.csv` is worked out here from the collected
measurements: from all of them, which must give what is shipped, and from all but those of one
plugin, which is then predicted.
"""

import csv
import statistics

import pytest

from netplan_planner.throughput.limits.pods.tables import pod_terms
from netplan_planner.throughput.transport.transfer import gbit_from_bytes
from support.paths.pod_figures import (
    CLOUD,
    LINK_10,
    LINK_40,
    SMALL_BYTES,
    figures,
    fitted,
    key_of,
    left_out,
    score,
)
from support.projects.shared_data import needs_shared, shared


@needs_shared
def test_what_is_shipped_is_what_all_figures_give() -> None:
    found = fitted(figures())
    # Of two rows of one quantity the first counts; the other stands in where that is left out.
    measured = {key_of(term): term for term in reversed(pod_terms()) if term.name != "header"}
    assert set(found) == {key for key in measured if key[1] != "udp"}
    for key, (middle, low, high) in found.items():
        term = measured[key]
        assert (term.value, term.low, term.high) == pytest.approx((middle, low, high), rel=0.02), (
            key
        )


@needs_shared
def test_two_system_calls_make_the_time_of_user_space() -> None:
    # One stream of UDP at small MTUs: one datagram, one system call.
    with shared("data/measurements/cni_measurements.csv").open(encoding="utf-8") as file:
        calls = [
            float(gbit_from_bytes(float(row["mtu"]) - 28)) / float(row["gbps"])
            for row in csv.DictReader(file)
            if row["proto"] == "UDP" and row["streams"] == "1" and float(row["mtu"]) < SMALL_BYTES
        ]
    (term,) = (term for term in pod_terms() if term.of == "udp" and term.name == "packet-time")
    assert len(calls) == 6
    assert term.value == pytest.approx(2 * statistics.median(calls), rel=0.02)
    assert (term.low, term.high) == pytest.approx((min(calls), 2 * max(calls)), rel=0.02)


@needs_shared
@pytest.mark.parametrize(
    ("campaign", "streams", "encryption", "median", "p90", "coverage"),
    [
        (LINK_10, 1, "none", 0.04, 0.10, 0.9),
        (LINK_10, 1, "ipsec", 0.18, 0.20, 0.9),
        (LINK_40, 1, "none", 0.09, 0.25, 0.85),
        (LINK_40, 8, "none", 0.02, 0.03, 0.95),
        (LINK_40, 1, "wireguard", 0.05, 0.06, 0.95),
        (LINK_40, 8, "wireguard", 0.03, 0.05, 0.95),
        (LINK_40, 1, "ipsec", 0.05, 0.30, 0.6),
        (LINK_40, 8, "ipsec", 0.12, 0.15, 0.95),
        (CLOUD, 1, "none", 0.03, 0.03, 0.95),
    ],
)
def test_plugins_that_were_left_out(
    campaign: str, streams: int, encryption: str, median: float, p90: float, coverage: float
) -> None:
    found = score(
        row
        for row in left_out()
        if (row[0].campaign, row[0].streams, row[0].encryption) == (campaign, streams, encryption)
    )
    assert found.row_count >= 3
    assert found.median_error < median
    assert found.p90_error < p90
    assert found.coverage >= coverage


@needs_shared
@pytest.mark.parametrize("campaign", [LINK_10, LINK_40])
def test_intervals_hold_nine_of_ten(campaign: str) -> None:
    found = score(row for row in left_out() if row[0].campaign == campaign)
    assert found.coverage >= 0.9
    assert found.median_width < 1.7


@needs_shared
def test_one_plugin_is_far_slower_with_one_stream_than_any_other() -> None:
    # Kube-OVN: a third of the host's rate where the others have two; no quantity of the model
    # tells it apart, and only the figure itself widens the interval for the next one like it.
    of_plugin = [row for row in left_out() if row[0].plugin == "kube-ovn" and row[0].streams == 1]
    slow = [row for row in of_plugin if row[0].campaign == LINK_40]
    assert len(slow) == 2
    assert all(each.gbps < low for each, _, low, _ in slow)
