"""The caps table: exact names, brackets, CPU platforms, Tier_1 and dates."""

import csv
import runpy
from datetime import date
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.model import EgressCap, series_of
from netplan_planner.throughput import load_caps
from netplan_planner.throughput.limits.ends import described_end
from netplan_planner.throughput.limits.senders import offers_tier1, sender_of
from netplan_planner.throughput.limits.tables import DATA, cap_rows, platform_generations
from support.known import known
from support.listed import listed
from support.projects.shared_data import needs_shared, shared

TODAY, NOVEMBER_2022, JULY_2017 = date(2026, 11, 21), date(2022, 11, 30), date(2017, 7, 20)
SCRIPT = Path(__file__).parents[4] / "planner" / "scripts" / "build_caps.py"
HASWELL, BROADWELL = "Intel Haswell", "Intel Broadwell"
SKYLAKE, CASCADE_LAKE = "Intel Skylake", "Intel Cascade Lake"


def cap(machine_type: str, as_of: date = TODAY, *, tier1: bool = False) -> EgressCap:
    found = load_caps(as_of).cap(machine_type, tier1=tier1)
    assert found is not None
    return found


def gbps(
    machine_type: str, as_of: date = TODAY, platform: str | None = None, *, tier1: bool = False
) -> float | None:
    found = load_caps(as_of).cap(machine_type, tier1=tier1, cpu_platform=platform)
    return found.egress_gbps if found else None


@listed(
    "expected, machine_types",
    [
        (1, "f1-micro"),
        (2, "n1-standard-1 custom-1-1024"),
        (10, "n1-standard-2 n2-standard-2 c4-standard-2 n2-custom-2-4096 n2-custom-4-8192"),
        (10, "custom-4-8192 n4a-custom-1-2048"),
        (12, "e2-custom-6-8192"),
        (16, "n1-standard-8 e2-standard-32 n2-custom-6-8192 n2-custom-8-8192 n2d-custom-8-8192"),
        (16, "e2-custom-8-8192"),
        (20, "c3d-standard-30"),
        (23, "c3-standard-4"),
        (32, "n2-standard-16 n2-standard-128 c3-standard-44 n2-custom-10-8192"),
        (32, "n2-custom-80-81920-ext n2d-custom-16-16384 n4-custom-16-32768"),
        (45, "n4-standard-64"),
        (200, "h3-standard-88"),
        (400, "c4n-standard-192"),
    ],
)
def test_every_size_has_its_own_cap(expected: float, machine_types: str) -> None:
    assert {gbps(name) for name in machine_types.split()} == {expected}


# A name is compared whole.
NO_NAMES = ["n2-standard-3", "c3-standard-444", "n2-standard-320", "standard-4", "n2", "", "N2-X"]


@listed(
    "machine_type, tier1, reasons",
    [
        *((name, False, ["no machine type"]) for name in NO_NAMES),
        # Between brackets nothing is guessed.
        ("n4-custom-96-393216", False, ["50 Gbit/s with 80"]),
        ("e2-custom-micro-2048", False, ["shared-core"]),
        ("n2-custom-3-8192", False, ["1 vCPU or an even number"]),
        # No source states it.
        ("m2-ultramemx-96", False, ["obsolete"]),
        ("n2-standard-16", True, ["Tier_1 is not offered for n2-standard-16"]),
        ("e2-standard-32", True, ["Tier_1 is not offered for e2-standard-32"]),
        ("c4-standard-48-lssd", True, ["Tier_1 is not offered for c4-standard-48-lssd"]),
    ],
)
def test_without_a_cap_there_is_a_reason(
    machine_type: str, tier1: bool, reasons: list[str]
) -> None:
    assert gbps(machine_type, tier1=tier1) is None
    said = load_caps(TODAY).unknown_reason(machine_type, tier1=tier1)
    assert all(reason in said for reason in reasons), said


def test_the_law_of_n1_of_2017_holds_for_nothing_else() -> None:
    for vcpus in (1, 2, 4, 8, 16, 32, 64, 96):
        assert gbps(f"n1-standard-{vcpus}", JULY_2017) == min(2 * vcpus, 16)
    others = [row for row in cap_rows() if row["series"] not in {"n1", "e2"}]
    doubled = [
        row
        for row in others
        if row["form"] == "predefined"
        and row["tier"] == "DEFAULT"
        and not row["valid_until"]
        and row["egress_gbps"]
        and float(row["egress_gbps"]) == min(2 * int(row["vcpus_min"] or 0), 16)
    ]
    assert len(doubled) < len(others) / 10


# Documented; above the largest; shared cores; a size that cannot be; no custom types.
WITHOUT_SIDES = """
    n4-custom-8-20480 n4-custom-96-393216 e2-custom-micro-2048 n2-custom-3-8192 n4-standard-10
    c3-custom-10-20480
"""


@listed(
    "machine_type, platform, ends",
    [
        ("n4-custom-10-20480", None, [(16, 32)]),
        ("n4-custom-14-20480", None, [(16, 32)]),
        ("n4-custom-6-20480", None, [(10, 16)]),
        ("custom-6-8192", None, [(10, 16)]),
        ("custom-12-20480", None, [(16, 16), (16, 32)]),
        ("custom-12-20480", HASWELL, [(16, 16)]),
        ("custom-12-20480", SKYLAKE, [(16, 32)]),
        *((name, None, []) for name in WITHOUT_SIDES.split()),
    ],
)
def test_a_custom_type_between_two_sizes_is_bounded_by_both(
    machine_type: str, platform: str | None, ends: list[tuple[float, float]]
) -> None:
    caps = load_caps(TODAY)
    found = caps.variants(machine_type)
    if platform is not None:
        found = tuple(filter(None, [caps.cap(machine_type, cpu_platform=platform)]))
    between = [one for one in found if one.egress_high_gbps is not None]
    assert [(one.egress_gbps, one.highest_gbps) for one in between] == ends
    for one in between:
        assert (one.machine_type, one.confidence) == (machine_type, "low")
        assert f"{one.highest_gbps:g} Gbit/s with" in one.caution
    assert all(one.highest_gbps == one.egress_gbps for one in found if one not in between)


@listed(
    "machine_type, as_of, platform, expected",
    [
        # The CPU platform decides for large N1 and for M2; for smaller ones it does not matter.
        ("n1-standard-16", TODAY, BROADWELL, 16),
        ("n1-standard-16", TODAY, SKYLAKE, 32),
        ("n1-standard-16", TODAY, CASCADE_LAKE, 32),
        ("m2-ultramem-208", TODAY, SKYLAKE, 16),
        ("m2-ultramem-208", TODAY, CASCADE_LAKE, 32),
        ("n1-standard-8", TODAY, HASWELL, 16),
        # Skylake rose to 32 in 2019.
        ("n1-standard-16", date(2018, 12, 1), SKYLAKE, None),
        ("n1-standard-16", date(2019, 6, 12), SKYLAKE, 32),
        ("n1-standard-16", date(2018, 12, 1), BROADWELL, 16),
    ],
)
def test_the_cpu_platform_decides_for_large_machines(
    machine_type: str, as_of: date, platform: str, expected: float | None
) -> None:
    assert gbps(machine_type, as_of, platform) == expected


@listed(
    "machine_type, by_day",
    [
        ("f1-micro", {"2017-07-20": 1, "2020-01-01": 1}),
        ("n1-standard-1", {"2014-01-01": None}),
        ("n1-standard-4", {"2016-06-01": 8, "2018-08-14": 8, "2019-06-01": None}),
        ("n1-standard-4", {"2021-06-01": 10}),
        ("n1-standard-8", {"2019-06-01": 16, "2026-11-21": 16}),
        ("n1-standard-16", {"2015-06-05": 10, "2015-07-01": None, "2016-06-01": None}),
        ("n1-standard-16", {"2017-01-01": 16, "2017-07-20": 16}),
        ("n1-highmem-8", {"2017-12-07": 16}),
        ("custom-6-8192", {"2017-12-07": 12}),
        ("n2-standard-32", {"2021-12-31": None, "2022-01-24": 32, "2022-11-30": 32}),
        ("c4n-standard-8", {"2026-07-07": None, "2026-07-08": 40}),
    ],
)
def test_each_day_has_its_own_limits(machine_type: str, by_day: dict[str, float | None]) -> None:
    assert {day: gbps(machine_type, date.fromisoformat(day)) for day in by_day} == by_day


@pytest.mark.parametrize("platform", [None, "Unknown CPU Platform", "AMD Rome"])
def test_an_unseen_platform_leaves_the_cap_of_large_n1_unknown(platform: str | None) -> None:
    caps = load_caps(TODAY)
    assert caps.cap("n1-standard-16", cpu_platform=platform) is None
    reason = caps.unknown_reason("n1-standard-16", cpu_platform=platform)
    assert "16 Gbit/s before Intel Skylake" in reason
    assert "32 Gbit/s on Intel Skylake or later" in reason
    variants = [(one.egress_gbps, one.min_cpu_platform) for one in caps.variants("n1-standard-16")]
    assert variants == [(16, ""), (32, SKYLAKE)]


def test_the_platforms_are_in_the_order_of_their_generations() -> None:
    found = platform_generations()
    assert list(found.values()) == sorted(set(found.values()))
    assert found[BROADWELL] < found[SKYLAKE] < found[CASCADE_LAKE]


@pytest.mark.parametrize("machine_type", ["m4n-megamem-224", "m4n-ultramem-224"])
def test_later_types_have_a_cap_since_they_are_offered(machine_type: str) -> None:
    found = cap(machine_type)
    assert (found.egress_gbps, found.vcpus, found.external_gbps) == (400, 224, None)
    assert "MTU of 8896" in found.caution
    assert load_caps(date(2026, 8, 20)).variants(machine_type) == ()
    assert load_caps(date(2026, 8, 21)).variants(machine_type)


@listed(
    "vcpus, expected",
    [(30, None), (32, 50), (62, 50), (64, 75), (78, 75), (80, 100)],
)
def test_tier1_has_its_own_brackets(vcpus: int, expected: float | None) -> None:
    assert gbps(f"n2-custom-{vcpus}-{vcpus * 1024}", tier1=True) == expected
    if vcpus in (32, 80):
        assert gbps(f"n2-standard-{vcpus}", tier1=True) == expected


@listed(
    "machine_type, tier1, expected, basis",
    [
        ("n2-standard-32", False, 7, "general"),
        ("n2-standard-32", True, 25, "general"),
        ("e2-standard-2", False, 4, "inferred"),
        ("f1-micro", False, 1, "inferred"),
        ("g2-standard-8", False, 7, "inferred"),
        ("c4n-standard-8", False, 15, "documented"),
        ("m4n-hypermem-64", False, 57, "documented"),
        ("h3-standard-88", False, 1, "documented"),
        ("h4d-standard-192", False, 1, "documented"),
        ("z4d-highmem-8-highlssd", False, None, ""),
    ],
)
def test_the_cap_for_the_outside_and_its_basis(
    machine_type: str, tier1: bool, expected: float | None, basis: str
) -> None:
    found = cap(machine_type, tier1=tier1)
    assert (found.external_gbps, found.external_basis) == (expected, basis)
    assert bool(found.external_source) is (expected is not None)


def test_limits_per_flow_and_the_day_from_which_they_are_documented() -> None:
    plain, c4n, then = (
        cap("n2-standard-8"),
        cap("c4n-standard-48"),
        cap("n1-standard-16", JULY_2017),
    )
    assert plain.external_flow_gbps == c4n.external_flow_gbps == 3
    assert (plain.internal_flow_gbps, c4n.internal_flow_gbps) == (None, 50)
    assert (plain.external_ingress_gbps, plain.external_ingress_pps) == (30, 1_800_000)
    assert (then.external_gbps, then.external_flow_gbps) == (None, None)
    assert then.external_ingress_gbps is None


def test_a_series_without_a_row_for_the_day_says_so() -> None:
    reason = load_caps(JULY_2017).unknown_reason("n2-standard-8")
    assert reason == (
        "no documented cap for n2-standard-8 on 2017-07-20; the next known cap is of 2022-01-01"
    )


def test_a_value_carried_back_has_low_confidence_and_says_why() -> None:
    then, now = cap("n2-standard-32", NOVEMBER_2022), cap("n2-standard-32")
    assert (then.confidence, now.confidence) == ("low", "high")
    assert "assumed for 2022-11-30" in then.note
    assert "assumed" not in now.note


OLD = ("f1-micro", "n1-standard-1", "n1-standard-4", "n1-standard-16", "m2-ultramem-208")


@given(st.dates(date(2012, 1, 1), date(2030, 1, 1)))
def test_no_day_has_two_answers(as_of: date) -> None:
    for name in OLD:
        found = load_caps(as_of).variants(name)
        keys = [(one.is_tier1, one.cpu_platform) for one in found]
        assert len(keys) == len(set(keys))
        assert len({one.cpu_platform == "" for one in found}) <= 1


def test_each_row_has_a_source_a_date_and_a_confidence() -> None:
    for row in cap_rows():
        # Tier_1 needs gVNIC except on bare metal.
        if row["tier"] == "TIER_1":
            is_metal = row["machine_type"].endswith("-metal")
            assert row["nic_types"] == ("IDPF" if is_metal else "GVNIC")
        if row["egress_gbps"]:
            assert row["source"]
            assert row["confidence"] in {"high", "medium", "low"}
            assert date.fromisoformat(row["source_date"]) <= TODAY
            assert date.fromisoformat(row["valid_from"]) <= TODAY
            assert bool(row["nic_types"]) == (row["nic_basis"] == "documented")
        else:
            assert row["confidence"] == "none"


def test_brackets_of_a_series_do_not_overlap() -> None:
    caps = load_caps(TODAY)
    for series in {row["series"] for row in cap_rows() if row["form"] == "custom"}:
        for vcpus in range(1, 129):
            found = caps.variants(f"{series}-custom-{vcpus}-{vcpus * 1024}")
            keys = [(one.is_tier1, one.cpu_platform) for one in found]
            assert len(keys) == len(set(keys)), (series, vcpus)


def test_more_vcpus_never_lower_the_cap_to_the_outside() -> None:
    """What the low end of a type of which it is not stated rests on."""
    caps = load_caps(TODAY)
    by_kind: dict[tuple[str, bool, str], list[tuple[int, float]]] = {}
    for one in (each for name in caps.machine_types for each in caps.variants(name)):
        if one.external_gbps is not None and one.vcpus is not None:
            kind = (series_of(one.machine_type), one.is_tier1, one.cpu_platform)
            by_kind.setdefault(kind, []).append((one.vcpus, one.external_gbps))
    pairs = [
        (small[1], great[1])
        for sizes in by_kind.values()
        for small, great in combinations(sorted(sizes), 2)
        if small[0] < great[0]
    ]
    assert len(pairs) == 8_743
    assert all(small <= great for small, great in pairs)
    found = caps.outside_of_smaller(cap("m4n-ultramem-224"))
    assert found is not None
    assert found.external_gbps == 100
    assert caps.outside_of_smaller(cap("z4d-highmem-384-standardlssd")) is None


def test_more_vcpus_never_lower_the_cap_of_a_series() -> None:
    # E2's shared cores and the two names with a region's exception aside, caps only rise.
    values: dict[tuple[str, str, str], dict[int, float]] = {}
    for row in cap_rows():
        family, _, size = row["machine_type"].rpartition("-")
        if row["egress_gbps"] and not row["valid_until"] and row["form"] == "predefined":
            key = (family, row["tier"], row["cpu_platform_before"])
            if size.isdigit():
                values.setdefault(key, {})[int(row["vcpus_min"])] = float(row["egress_gbps"])
    for by_vcpus in values.values():
        rates = [rate for _, rate in sorted(by_vcpus.items())]
        assert rates == sorted(rates)


def test_an_answer_names_its_source_and_type() -> None:
    found = cap("n2-standard-8")
    assert (found.machine_type, found.vcpus) == ("n2-standard-8", 8)
    assert "general-purpose-machines" in found.source
    assert found.as_of == date(2026, 4, 15)
    assert load_caps(TODAY).source_date >= found.as_of


def test_the_nearest_of_an_unknown_name_are_named() -> None:
    caps = load_caps(TODAY)
    assert "; near: n2-standard-32" in caps.why_no_type("n2-standrd-32")
    assert "; near: n2-standard-32" in caps.why_no_type("N2-STANDARD-32")
    assert caps.variants("n2-custom-4-8192")
    assert caps.variants("n2-custom-3-8192") == ()


@listed("name", ["\x1b[31mred", "x" * 10_000, "\x1b-custom-micro-1", "=cmd|' /C calc'!A0", "[b]x"])
def test_a_hostile_name_stays_inert(name: str) -> None:
    reason = load_caps(TODAY).unknown_reason(name)
    assert "\x1b" not in reason
    assert len(reason) < 400


def build(*words: str) -> None:
    runpy.run_path(str(SCRIPT))["main"]([*words])


@needs_shared
class TestAgainstTheSource:
    def test_the_table_is_what_the_script_makes_of_it(self, tmp_path: Path) -> None:
        target = tmp_path / "caps.csv"
        build(str(shared("data/network")), "--output", str(target))
        assert target.read_bytes() == (DATA / "egress_caps.csv").read_bytes()

    def test_every_number_of_the_source_is_here(self) -> None:
        caps, checked = load_caps(TODAY), 0
        with shared("data/network/vm_egress_caps.csv").open(encoding="utf-8") as file:
            lines = [line for line in csv.DictReader(file) if line["default_egress_gbps"]]
        for line in lines:
            variants = caps.variants(line["machine_type"])
            if not variants:
                assert "*" in line["machine_type"] or "(" in line["machine_type"]
                continue
            plain = [one for one in variants if not one.is_tier1]
            tier1 = [one.egress_gbps for one in variants if one.is_tier1]
            stated = line["external_egress_default_gbps"]
            assert max(one.egress_gbps for one in plain) == float(line["default_egress_gbps"])
            assert tier1 == [float(one) for one in [line["tier1_egress_gbps"]] if one]
            assert {one.external_gbps for one in plain} == {float(stated) if stated else None}
            checked += 1
        assert checked > 580

    def test_an_unknown_text_stops_the_script(self, tmp_path: Path) -> None:
        text = shared("data/network/vm_egress_caps.csv").read_text(encoding="utf-8")
        broken = text.replace("2 at 1 vCPU; 10 at 2-4", "about 2 at 1 vCPU; 10 at 2-4")
        assert broken != text
        (tmp_path / "vm_egress_caps.csv").write_text(broken, encoding="utf-8")
        with pytest.raises(SystemExit, match="unknown text on custom types"):
            build(str(tmp_path), "--output", str(tmp_path / "out.csv"))
        assert not (tmp_path / "out.csv").exists()


def test_tier1_is_that_of_the_next_caps_where_none_of_the_day_is_known() -> None:
    early = load_caps(date(2025, 12, 31))
    assert not early.variants("c4-standard-96")
    found = sender_of(described_end("c4-standard-96", is_tier1=True), early, may_assume=True)
    assert (known(found.cap).egress_gbps, known(found.cap).is_tier1) == (100.0, True)
    assert "with Tier_1" in found.assumed[0]
    plain = sender_of(described_end("c4-standard-96"), early, may_assume=True)
    assert (known(plain.cap).egress_gbps, known(plain.cap).is_tier1) == (67.0, False)
    names = ("c4-standard-96", "c4-standard-4", "z0-big")
    assert [offers_tier1(name, early) for name in names] == [True, False, None]
