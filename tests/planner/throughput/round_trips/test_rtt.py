"""Round-trip times: the measured pairs, the paths by distance, and the script that makes both."""

import csv
import gzip
import runpy
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from netplan_planner.throughput.limits.tables import DATA
from netplan_planner.throughput.round_trips import rtt
from netplan_planner.throughput.round_trips.rtt import (
    MODEL,
    PAIR_FILES,
    PLACES,
    Leg,
    RttBasis,
    great_circle_km,
    known_legs,
    least_path_ms,
    light_ms,
    load_round_trips,
    rtt_for_pairs,
)
from netplan_pricing import open_snapshot
from support.listed import listed
from support.projects.shared_data import needs_shared, shared

SCRIPT = Path(__file__).parents[4] / "planner" / "scripts" / "build_rtt.py"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


PLACE_ROWS = rows(DATA / PLACES)
NAMES = [row["place"] for row in PLACE_ROWS]
KM = great_circle_km(
    np.array([float(row["latitude_deg"]) for row in PLACE_ROWS]),
    np.array([float(row["longitude_deg"]) for row in PLACE_ROWS]),
)
ZONES = [f"{name.removeprefix('gcp:')}-{zone}" for name in NAMES[:43] for zone in "ab"]
ends = st.sampled_from(NAMES + ZONES)
ENDS = ("src", "dst")

Square = dict[str, NDArray[Any]]


@pytest.fixture(scope="module")
def square() -> Square:
    """Return every column between all places, as matrices."""
    count = len(NAMES)
    src = [name for name in NAMES for _ in range(count)]
    columns = rtt_for_pairs(src, NAMES * count)
    return {name: getattr(columns, name).reshape(count, count) for name in columns._fields}


def between(src: str, dst: str, as_of: date | None = None) -> rtt.RoundTrip:
    return rtt.rtt_between(src, dst, as_of=as_of)


def ms(src: str, dst: str) -> tuple[float, float, float]:
    """Return value, low and high of a known round-trip time."""
    found = between(src, dst)
    assert found.rtt_ms is not None
    assert found.low_ms is not None
    assert found.high_ms is not None
    return found.rtt_ms, found.low_ms, found.high_ms


class TestEveryPair:
    def test_values_are_in_their_intervals_alike_both_ways_and_beat_no_light(
        self, square: Square
    ) -> None:
        apart = ~np.eye(len(NAMES), dtype=bool)
        assert (square["low_ms"][apart] >= light_ms(KM)[apart]).all()
        for values in square.values():
            assert np.array_equal(values, values.T, equal_nan=values.dtype.kind == "f")
        known = square["basis"] != ""
        low, value, high = (square[name][known] for name in ("low_ms", "rtt_ms", "high_ms"))
        assert (low <= value).all()
        assert (value <= high).all()
        assert (low > 0).all()
        assert (low < high).all()
        # Only the inside of other clouds is unknown.
        others = np.diag([not name.startswith("gcp:") for name in NAMES])
        assert np.array_equal(np.isnan(square["rtt_ms"]), others)
        assert np.array_equal(~known, others)

    def test_a_pair_by_distance_is_no_slower_than_a_detour_over_a_measured_one(
        self, square: Square
    ) -> None:
        model = {row["name"]: row["value"] for row in rows(DATA / MODEL) if not row["scope"]}
        leg = float(model["leg-base-ms"]) + float(model["leg-detour-ratio"]) * light_ms(KM)
        leg[float(model["leg-limit-km"]) < KM] = np.inf
        by_distance = square["basis"] == "distance"
        measured = np.where(square["basis"] == "table", square["rtt_ms"], np.inf)
        detour = (leg[:, :, None] + measured[None, :, :]).min(axis=1)
        is_off = by_distance & (square["rtt_ms"] > detour + 1e-9)
        assert not is_off.any()
        assert np.isfinite(detour[by_distance]).mean() > 0.4


class TestKnownPairs:
    @pytest.mark.parametrize(
        ("src", "dst", "least", "most"),
        [
            ("us-central1", "us-east1", 32, 34),
            ("us-central1-a", "europe-west1-b", 94, 105),
            ("europe-west2", "australia-southeast1", 260, 275),
            ("us-east4-a", "europe-west2", 74, 80),
            ("southamerica-west1", "us-east1", 95, 110),
            ("aws:eu-west-2", "europe-west2-a", 1.5, 5),
            ("gcp:us-west1", "azure:northeurope", 120, 150),
        ],
    )
    def test_a_measured_pair_has_its_figures(
        self, src: str, dst: str, least: float, most: float
    ) -> None:
        found = between(src, dst)
        assert found.basis is RttBasis.TABLE
        assert least <= ms(src, dst)[0] <= most
        assert found.detail.startswith("measured; values: ")
        assert found.source
        assert found.as_of is not None
        assert date(2022, 2, 1) < found.as_of <= date(2022, 4, 16)

    def test_campaigns_that_err_and_that_disagree(self) -> None:
        # One campaign has 0.9 ms from Sydney to London, in a row with an average of 153 ms.
        assert ms("australia-southeast1", "europe-west2")[1] > 240
        # Of those that disagree both are in the interval.
        _, low, high = ms("asia-southeast1", "europe-west2")
        assert low < 203 < 253 < high

    def test_an_old_date_is_answered_and_said(self) -> None:
        then, near = (
            between("us-central1", "us-east1", day) for day in (date(2014, 6, 1), date(2022, 1, 24))
        )
        assert then.rtt_ms == near.rtt_ms
        assert "values of 2022-04-16, requested for 2014-06-01" in then.detail
        assert "asked" not in near.detail


def test_inside_a_region_one_zone_zones_and_no_zones() -> None:
    ends = [("us-central1-a", "us-central1-a"), ("us-central1-a", "gcp:us-central1-f")]
    ends += [("us-central1", "us-central1-a")]
    assert [between(*pair).basis for pair in ends] == [
        RttBasis.SAME_ZONE,
        RttBasis.INTER_ZONE,
        RttBasis.INTER_ZONE,
    ]
    one, two, unsaid = (ms(*pair) for pair in ends)
    assert one[0] < two[0] <= 1
    assert unsaid == (two[0], one[1], two[2])
    # Inside other clouds it is not answered.
    for name in ("aws:eu-west-1", "azure:westus"):
        found = between(name, name)
        assert found.rtt_ms is None
        assert "inside a region" in found.why_unknown


class TestByDistance:
    def test_a_new_region_takes_the_legs_of_its_neighbour(self) -> None:
        found = between("europe-west9-a", "us-east4")
        assert found.basis is RttBasis.DISTANCE
        assert 0 < ms("europe-west9-a", "us-east4")[0] - ms("aws:eu-west-3", "us-east4")[0] < 5
        assert "by distance to aws:eu-west-3" in found.detail
        assert "measured to gcp:us-east4" in found.detail
        # The line is not taken where no cable lies.
        ends = ("southamerica-west1", "africa-south1")
        line_ms = float(light_ms(KM)[tuple(NAMES.index(f"gcp:{name}") for name in ends)])
        assert ms(*ends)[0] > 2.5 * line_ms

    def test_the_shipped_errors_say_what_the_paths_are_worth(self) -> None:
        errors = {
            (row["note"].partition("; ")[2], row["scope"]): [
                float(row[n]) for n in ("value", "high")
            ]
            for row in rows(DATA / MODEL)
            if row["name"] == "error-ratio"
        }
        for scope in ("google", "cross-cloud"):
            path = errors["least path", scope]
            line = errors["one factor on the straight line", scope]
            assert path[0] < line[0] / 3
            assert path[1] < line[1] / 2


class TestUnknownPlaces:
    @listed(
        ("name", "hint"),
        [
            ("us-centrall1", "us-central1"),
            ("us-central1-zz", "us-central1"),
            ("aws:eu-west1", "aws:eu-west-1"),
            ("us-central", "us-central1"),
            ("", ""),
            ("gcp:", ""),
            ("azure:eastus-1", "azure:eastus"),
            ("moon:tranquility", ""),
        ],
    )
    def test_none_with_a_reason(self, name: str, hint: str) -> None:
        found = between("us-east4-a", name)
        assert (found.rtt_ms, found.low_ms, found.basis) == (None, None, None)
        assert found.why_unknown.startswith(f"no region or zone {name!r} is known")
        assert hint in found.why_unknown

    @listed("name", ["\x1b[31mred", "x" * 10_000, "aws:\x00a", "a:b:c"])
    def test_a_hostile_name_stays_inert(self, name: str) -> None:
        reason = between(name, "us-east4").why_unknown
        assert "\x1b" not in reason
        assert "\x00" not in reason
        assert len(reason) < 300


class TestBatches:
    @given(st.lists(st.tuples(ends, ends), max_size=30))
    def test_a_batch_is_its_pairs(self, pairs: list[tuple[str, str]]) -> None:
        columns = rtt_for_pairs([src for src, _ in pairs], [dst for _, dst in pairs])
        for row, (src, dst) in enumerate(pairs):
            one, back = between(src, dst), between(dst, src)
            figures = (one.rtt_ms, one.low_ms, one.high_ms)
            assert columns.basis[row] == (one.basis or "")
            assert figures == (back.rtt_ms, back.low_ms, back.high_ms)
            known = np.array(figures, dtype=float)
            np.testing.assert_array_equal([column[row] for column in columns[:3]], known)

    def test_unknown_cells_stay_unknown_and_two_lengths_are_refused(self) -> None:
        columns = rtt_for_pairs(["us-east4", None, "x"], [None, "us-east4", "us-east4-a"])
        assert np.isnan(columns.rtt_ms).all()
        assert columns.basis.tolist() == ["", "", ""]
        with pytest.raises(ValueError, match="1 senders but 2 receivers"):
            rtt_for_pairs(["us-east4"], ["us-east4", "us-east1"])


class TestDistance:
    @given(
        st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.floats(1, 300)), max_size=12),
        st.floats(0.1, 1),
    )
    def test_a_shorter_measured_leg_never_lengthens_a_path(
        self, figures: list[tuple[int, int, float]], factor: float
    ) -> None:
        angle = np.array([0.0, 10.0, 25.0, 60.0, 150.0])
        km = great_circle_km(angle / 3, angle)
        measured = np.full((5, 5), np.nan)
        for first, last, ms in figures:
            if first != last:
                measured[first, last] = measured[last, first] = ms
        leg = Leg(base_ms=3.0, detour_ratio=1.8, limit_km=2000.0)
        path, distance = least_path_ms(*known_legs(measured, km, leg))
        shorter, _ = least_path_ms(*known_legs(measured * factor, km, leg))
        assert (shorter <= path).all()
        assert (distance <= path).all()
        assert np.array_equal(path, path.T)

    def test_a_place_far_from_all_reaches_the_nearest_measured_one(self) -> None:
        km = great_circle_km(np.zeros(3), np.array([0.0, 10.0, 100.0]))
        measured = np.full((3, 3), np.nan)
        measured[0, 1] = measured[1, 0] = 20.0
        leg = Leg(base_ms=3.0, detour_ratio=2.0, limit_km=500.0)
        path, distance = least_path_ms(*known_legs(measured, km, leg))
        assert distance[2, 0] == pytest.approx(3 + 2 * light_ms(km)[2, 1])
        london, sydney = NAMES.index("gcp:europe-west2"), NAMES.index("gcp:australia-southeast1")
        assert KM[london, sydney] == pytest.approx(16_990, rel=0.005)
        assert KM[london, london] == 0
        assert path[2, 0] == pytest.approx(distance[2, 0] + 20)


class TestPlaces:
    def test_every_region_of_the_prices_has_one(self) -> None:
        regions = open_snapshot().regions()
        assert len(regions) >= 43
        assert {f"gcp:{region}" for region in regions} <= set(NAMES)

    @needs_shared
    def test_every_region_of_the_catalogue_has_one(self) -> None:
        path = shared("data/catalog/machine_type_regions.csv.gz")
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            regions = {row["region"] for row in csv.DictReader(file)}
        assert {f"gcp:{region}" for region in regions} <= set(NAMES)

    def test_one_city_stands_at_one_place(self) -> None:
        cities: dict[str, set[tuple[str, str]]] = {}
        for row in PLACE_ROWS:
            assert row["source"]
            assert abs(float(row["latitude_deg"])) < 70
            cities.setdefault(row["city"], set()).add((row["latitude_deg"], row["longitude_deg"]))
        assert [city for city, places in cities.items() if len(places) > 1] == []
        assert len(set(NAMES)) == len(NAMES)


def build(folder: Path, *options: str) -> None:
    main: Callable[[list[str]], None] = runpy.run_path(str(SCRIPT))["main"]
    main([str(folder), *options])


def latencies() -> list[dict[str, str]]:
    return rows(shared("data/measurements/latency.csv"))


def places(figures: list[dict[str, str]]) -> list[list[str]]:
    """Return the senders' and the receivers' places."""
    return [[f"{row[f'{end}_cloud']}:{row[f'{end}_location']}" for row in figures] for end in ENDS]


@needs_shared
class TestAgainstTheSource:
    def test_the_tables_are_what_the_script_makes_of_it(self, tmp_path: Path) -> None:
        build(shared("data/measurements"), "--output", str(tmp_path))
        for name in (*PAIR_FILES, MODEL):
            assert (tmp_path / name).read_bytes() == (DATA / name).read_bytes()

    def test_a_campaign_that_was_left_out_is_covered(self, tmp_path: Path) -> None:
        source = "doit-intercloud-2022-02"
        build(shared("data/measurements"), "--without", source, "--output", str(tmp_path))
        for name in PAIR_FILES:
            assert source not in (tmp_path / name).read_text(encoding="utf-8")
        figures = [row for row in latencies() if row["source"] == source]
        columns = load_round_trips(tmp_path).for_pairs(*places(figures))
        measured = np.array([float(row["avg_ms"]) for row in figures])
        is_in = (columns.low_ms <= measured) & (measured <= columns.high_ms)
        assert is_in[columns.basis == "table"].mean() > 0.9

    def test_pairs_of_other_clouds_are_unseen_and_covered(self) -> None:
        figures = [
            row
            for row in latencies()
            if "gcp" not in {row["src_cloud"], row["dst_cloud"]} and row["src_location"]
        ]
        columns = rtt_for_pairs(*places(figures))
        measured = np.array([float(row["min_ms"] or row["avg_ms"]) for row in figures])
        is_in = (columns.low_ms <= measured) & (measured <= columns.high_ms)
        assert len(figures) > 2000
        assert 0.85 < is_in.mean() < 0.95
        assert np.median(np.abs(columns.rtt_ms / measured - 1)) < 0.06


FAR = "skyplane-rtt-2022-04,2022-04-16,gcp,gcp,us-east4-a,asia-east1-a,x,175,175"


class TestTheScript:
    HEADER = "source,date,src_cloud,dst_cloud,src_location,dst_location,path_class,min_ms,avg_ms"
    INSIDE = (
        "seed-zarmory-2017,2017-12-07,gcp,gcp,us-east4-a,us-east4-a,same-zone-internal,0.1,0.2",
        "seed-zarmory-2017,2017-12-07,gcp,gcp,us-east4-a,us-east4-b,inter-zone-internal,0.2,0.3",
    )

    def folder(self, tmp_path: Path, *lines: str) -> Path:
        text = "\n".join((self.HEADER, *self.INSIDE, *lines)) + "\n"
        (tmp_path / "latency.csv").write_text(text, encoding="utf-8")
        other = "source,date,cloud,src_location,dst_location,path_class,rtt_ms\n"
        (tmp_path / "public_measurements.csv").write_text(other, encoding="utf-8")
        return tmp_path

    def figure(self, src: str, dst: str, least: str, average: str) -> str:
        source = "skyplane-rtt-2022-04,2022-04-16,gcp,gcp"
        return f"{source},{src},{dst},inter-region-external,{least},{average}"

    def test_it_refuses_what_cannot_be_one_path(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder = self.folder(
            tmp_path,
            self.figure("us-east4-a", "us-central1-a", "25", "25.1"),
            self.figure("us-east4-a", "us-west1-a", "62", "62.1"),
            self.figure("us-central1-a", "us-west1-a", "35", "35.2"),
            self.figure("us-east4-a", "europe-west2-a", "12.7", "60"),
            self.figure("us-east4-a", "europe-west3-a", "0.05", "0.06"),
        )
        build(folder, "--output", str(tmp_path))
        pairs = [(row["src"], row["dst"], row["rtt_ms"]) for row in rows(tmp_path / PAIR_FILES[0])]
        assert pairs[2:] == [
            ("gcp:us-central1", "gcp:us-east4", "25.000"),
            ("gcp:us-central1", "gcp:us-west1", "35.000"),
            ("gcp:us-east4", "gcp:us-west1", "62.000"),
        ]
        said = capsys.readouterr().out
        assert "refused of skyplane-rtt-2022-04: 1 (average far above" in said
        assert "refused of skyplane-rtt-2022-04: 1 (faster than light" in said

    @pytest.mark.parametrize(
        ("line", "options", "message"),
        [
            ("nobody-2030,2030,gcp,gcp,us-east4,us-east1,x,9,9", (), "what nobody-2030 is"),
            ("", ("--without", "nobody-2030"), "has no nobody-2030"),
            ("", (), "no figure between two regions"),
            (FAR, (), "no pair of Google's regions up to 3000 km"),
            (FAR.replace("asia-east1", "mars-north1"), (), "has no gcp:mars-north1"),
        ],
    )
    def test_it_stops_at_what_it_does_not_know(
        self, tmp_path: Path, line: str, options: tuple[str, ...], message: str
    ) -> None:
        folder = self.folder(tmp_path, *filter(None, [line]))
        with pytest.raises(SystemExit, match=message):
            build(folder, *options, "--output", str(tmp_path))
        assert not any((tmp_path / name).exists() for name in (*PAIR_FILES, MODEL))
