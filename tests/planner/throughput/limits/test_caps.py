"""The caps table: exact names, brackets, CPU platforms, Tier_1 and dates."""

import csv
import runpy
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.model import EgressCap
from netplan_planner.throughput import load_caps
from netplan_planner.throughput.limits.tables import DATA, cap_rows, platform_generations
from support.listed import listed
from support.projects.shared_data import needs_shared, shared

TODAY = date(2026, 11, 21)
SCRIPT = Path(__file__).parents[4] / "planner" / "scripts" / "build_caps.py"


def cap(machine_type: str, as_of: date = TODAY, **more: object) -> EgressCap | None:
    tier1 = bool(more.get("tier1", False))
    platform = str(more["platform"]) if "platform" in more else None
    return load_caps(as_of).cap(machine_type, tier1=tier1, cpu_platform=platform)


def gbps(machine_type: str, as_of: date = TODAY, **more: object) -> float | None:
    found = cap(machine_type, as_of, **more)
    return found.egress_gbps if found else None


@listed(
    ("machine_type", "expected"),
    [
        ("f1-micro", 1),
        ("n1-standard-1", 2),
        ("n1-standard-2", 10),
        ("n1-standard-8", 16),
        ("n2-standard-2", 10),
        ("n2-standard-128", 32),
        ("e2-standard-32", 16),
        ("c3-standard-4", 23),
        ("c3-standard-44", 32),
        ("c3d-standard-30", 20),
        ("c4-standard-2", 10),
        ("n4-standard-64", 45),
        ("h3-standard-88", 200),
        ("c4n-standard-192", 400),
    ],
)
def test_every_size_has_its_own_cap(machine_type: str, expected: float) -> None:
    assert gbps(machine_type) == expected


@pytest.mark.parametrize(
    "name", ["n2-standard-3", "c3-standard-444", "n2-standard-320", "standard-4", "n2", "", "N2-X"]
)
def test_a_name_is_compared_whole(name: str) -> None:
    assert gbps(name) is None
    assert "no machine type" in load_caps(TODAY).unknown_reason(name)


def test_the_law_of_n1_of_2017_holds_for_nothing_else() -> None:
    then, now = date(2017, 7, 20), TODAY
    for vcpus in (1, 2, 4, 8, 16, 32, 64, 96):
        expected = min(2 * vcpus, 16)
        found = gbps(f"n1-standard-{vcpus}", then)
        assert found == expected
    doubled = [
        row["machine_type"]
        for row in cap_rows()
        if row["form"] == "predefined"
        and row["tier"] == "DEFAULT"
        and not row["valid_until"]
        and row["egress_gbps"]
        and row["series"] not in {"n1", "e2"}
        and float(row["egress_gbps"]) == min(2 * int(row["vcpus_min"] or 0), 16)
    ]
    others = [row for row in cap_rows() if row["series"] not in {"n1", "e2"}]
    assert len(doubled) < len(others) / 10
    assert gbps("n2-standard-16", now) == 32


class TestCustomTypes:
    @listed(
        ("machine_type", "expected"),
        [
            ("n2-custom-2-4096", 10),
            ("n2-custom-4-8192", 10),
            ("n2-custom-6-8192", 16),
            ("n2-custom-8-8192", 16),
            ("n2-custom-10-8192", 32),
            ("n2-custom-80-81920-ext", 32),
            ("n2d-custom-8-8192", 16),
            ("n2d-custom-16-16384", 32),
            ("e2-custom-6-8192", 12),
            ("e2-custom-8-8192", 16),
            ("custom-1-1024", 2),
            ("custom-4-8192", 10),
            ("n4-custom-16-32768", 32),
            ("n4a-custom-1-2048", 10),
        ],
    )
    def test_falls_into_its_bracket(self, machine_type: str, expected: float) -> None:
        assert gbps(machine_type) == expected

    @pytest.mark.parametrize(
        ("machine_type", "low", "high"),
        [
            ("n4-custom-12-32768", "16 Gbit/s with 8", "32 Gbit/s with 16"),
            ("custom-6-8192", "10 Gbit/s with 4", "16 Gbit/s with 8"),
        ],
    )
    def test_between_brackets_nothing_is_guessed(
        self, machine_type: str, low: str, high: str
    ) -> None:
        assert gbps(machine_type) is None
        reason = load_caps(TODAY).unknown_reason(machine_type)
        assert low in reason
        assert high in reason

    @listed(
        ("machine_type", "platform", "low", "high"),
        [
            ("n4-custom-10-20480", None, 16, 32),
            ("n4-custom-14-20480", None, 16, 32),
            ("n4-custom-6-20480", None, 10, 16),
            ("custom-12-20480", None, 16, 32),
            ("custom-12-20480", "Intel Haswell", 16, 16),
            ("custom-12-20480", "Intel Skylake", 16, 32),
        ],
    )
    def test_both_sides_bound_it(
        self, machine_type: str, platform: str | None, low: float, high: float
    ) -> None:
        sides = load_caps(TODAY).on_both_sides(machine_type, platform)
        assert sides is not None
        assert [side.egress_gbps for side in sides] == [low, high]
        assert {side.machine_type for side in sides} == {machine_type}

    @listed(
        "machine_type",
        # Documented; above the largest; shared cores; a size that cannot be; no custom types.
        ["n4-custom-8-20480", "n4-custom-96-393216", "e2-custom-micro-2048", "n2-custom-3-8192",
         "n4-standard-10", "c3-custom-10-20480"],
    )  # fmt: skip
    def test_what_is_not_between_two_sizes_has_no_sides(self, machine_type: str) -> None:
        assert load_caps(TODAY).on_both_sides(machine_type) is None

    def test_shared_core_custom_types_are_unknown(self) -> None:
        assert gbps("e2-custom-micro-2048") is None
        assert "shared-core" in load_caps(TODAY).unknown_reason("e2-custom-micro-2048")

    @pytest.mark.parametrize(
        ("vcpus", "expected"), [(30, None), (32, 50), (62, 50), (64, 75), (78, 75), (80, 100)]
    )
    def test_tier1_has_its_own_brackets(self, vcpus: int, expected: float | None) -> None:
        assert gbps(f"n2-custom-{vcpus}-{vcpus * 1024}", tier1=True) == expected


class TestCpuPlatform:
    def test_it_decides_for_large_n1(self) -> None:
        assert gbps("n1-standard-16", platform="Intel Broadwell") == 16
        assert gbps("n1-standard-16", platform="Intel Skylake") == 32
        assert gbps("n1-standard-16", platform="Intel Cascade Lake") == 32

    def test_it_decides_for_m2(self) -> None:
        assert gbps("m2-ultramem-208", platform="Intel Skylake") == 16
        assert gbps("m2-ultramem-208", platform="Intel Cascade Lake") == 32

    @pytest.mark.parametrize("platform", [None, "Unknown CPU Platform", "AMD Rome"])
    def test_unseen_it_leaves_the_cap_unknown(self, platform: str | None) -> None:
        caps = load_caps(TODAY)
        assert caps.cap("n1-standard-16", cpu_platform=platform) is None
        reason = caps.unknown_reason("n1-standard-16", cpu_platform=platform)
        assert "16 Gbit/s before Intel Skylake" in reason
        assert "32 Gbit/s on Intel Skylake or later" in reason

    def test_it_does_not_matter_for_smaller_ones(self) -> None:
        assert gbps("n1-standard-8") == gbps("n1-standard-8", platform="Intel Haswell") == 16

    def test_both_variants_are_listed(self) -> None:
        found = load_caps(TODAY).variants("n1-standard-16")
        assert [(v.egress_gbps, v.min_cpu_platform) for v in found] == [
            (16, ""),
            (32, "Intel Skylake"),
        ]

    def test_the_platforms_are_in_the_order_of_their_generations(self) -> None:
        generations = platform_generations()
        assert list(generations.values()) == sorted(set(generations.values()))
        assert generations["Intel Broadwell"] < generations["Intel Skylake"]
        assert generations["Intel Skylake"] < generations["Intel Cascade Lake"]


class TestLaterTypes:
    @pytest.mark.parametrize("machine_type", ["m4n-megamem-224", "m4n-ultramem-224"])
    def test_they_have_a_cap_since_they_are_offered(self, machine_type: str) -> None:
        found = cap(machine_type)
        assert found is not None
        assert (found.egress_gbps, found.vcpus, found.external_gbps) == (400, 224, None)
        assert "MTU of 8896" in found.caution
        assert load_caps(date(2026, 8, 20)).variants(machine_type) == ()
        assert load_caps(date(2026, 8, 21)).variants(machine_type)


class TestTier1:
    def test_it_is_a_variant_of_its_own(self) -> None:
        assert gbps("n2-standard-32", tier1=True) == 50
        assert gbps("n2-standard-80", tier1=True) == 100

    @pytest.mark.parametrize("name", ["n2-standard-16", "e2-standard-32", "c4-standard-48-lssd"])
    def test_it_is_not_offered_for_every_type(self, name: str) -> None:
        assert gbps(name, tier1=True) is None
        assert load_caps(TODAY).unknown_reason(name, tier1=True) == (
            f"Tier_1 is not offered for {name}"
        )

    def test_it_needs_gvnic_except_on_bare_metal(self) -> None:
        for row in cap_rows():
            if row["tier"] == "TIER_1":
                metal = row["machine_type"].endswith("-metal")
                assert row["nic_types"] == ("IDPF" if metal else "GVNIC")


class TestExternalCap:
    @listed(
        ("machine_type", "tier1", "expected", "basis"),
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
    def test_value_and_basis(
        self, machine_type: str, tier1: bool, expected: float | None, basis: str
    ) -> None:
        found = cap(machine_type, tier1=tier1)
        assert found is not None
        assert found.external_gbps == expected
        assert found.external_basis == basis
        assert bool(found.external_source) is (expected is not None)

    def test_limits_per_flow(self) -> None:
        plain, c4n = cap("n2-standard-8"), cap("c4n-standard-48")
        assert plain is not None
        assert c4n is not None
        assert plain.external_flow_gbps == c4n.external_flow_gbps == 3
        assert plain.internal_flow_gbps is None
        assert c4n.internal_flow_gbps == 50
        assert plain.external_ingress_gbps == 30
        assert plain.external_ingress_pps == 1_800_000

    def test_the_rule_of_today_is_not_carried_into_2017(self) -> None:
        found = cap("n1-standard-16", date(2017, 7, 20))
        assert found is not None
        assert found.external_gbps is None
        assert found.external_flow_gbps is None
        assert found.external_ingress_gbps is None


class TestDates:
    @listed(
        ("machine_type", "as_of", "expected"),
        [
            ("n1-standard-16", date(2015, 6, 5), 10),
            ("n1-standard-16", date(2015, 7, 1), None),
            ("n1-standard-16", date(2017, 1, 1), 16),
            ("n2-standard-32", date(2021, 12, 31), None),
            ("n2-standard-32", date(2022, 1, 24), 32),
            ("n1-standard-16", date(2016, 6, 1), None),
            ("n1-standard-4", date(2016, 6, 1), 8),
            ("n1-standard-16", date(2017, 7, 20), 16),
            ("n1-highmem-8", date(2017, 12, 7), 16),
            ("custom-6-8192", date(2017, 12, 7), 12),
            ("n1-standard-4", date(2018, 8, 14), 8),
            ("n1-standard-4", date(2019, 6, 1), None),
            ("n1-standard-4", date(2021, 6, 1), 10),
            ("n1-standard-8", date(2019, 6, 1), 16),
            ("f1-micro", date(2017, 7, 20), 1),
            ("f1-micro", date(2020, 1, 1), 1),
            ("n1-standard-1", date(2014, 1, 1), None),
            ("n2-standard-32", date(2022, 11, 30), 32),
            ("c4n-standard-8", date(2026, 7, 7), None),
            ("c4n-standard-8", date(2026, 7, 8), 40),
        ],
    )
    def test_each_day_has_its_own_limits(
        self, machine_type: str, as_of: date, expected: float | None
    ) -> None:
        assert gbps(machine_type, as_of) == expected

    def test_skylake_rose_to_32_in_2019(self) -> None:
        name, skylake, older = "n1-standard-16", "Intel Skylake", "Intel Broadwell"
        assert gbps(name, date(2018, 12, 1), platform=skylake) is None
        assert gbps(name, date(2019, 6, 12), platform=skylake) == 32
        assert gbps(name, date(2018, 12, 1), platform=older) == 16

    def test_a_series_without_a_row_for_the_day_says_so(self) -> None:
        reason = load_caps(date(2017, 7, 20)).unknown_reason("n2-standard-8")
        assert reason == (
            "no documented cap for n2-standard-8 on 2017-07-20; the next one known is of 2022-01-01"
        )

    def test_a_value_carried_back_has_low_confidence_and_says_why(self) -> None:
        then, now = cap("n2-standard-32", date(2022, 11, 30)), cap("n2-standard-32")
        assert then is not None
        assert now is not None
        assert (then.confidence, now.confidence) == ("low", "high")
        assert "assumed for 2022-11-30" in then.note
        assert "assumed" not in now.note

    @given(st.dates(date(2012, 1, 1), date(2030, 1, 1)))
    def test_no_day_has_two_answers(self, as_of: date) -> None:
        caps = load_caps(as_of)
        for name in (
            "f1-micro",
            "n1-standard-1",
            "n1-standard-4",
            "n1-standard-16",
            "m2-ultramem-208",
        ):
            found = caps.variants(name)
            keys = [(v.is_tier1, v.cpu_platform) for v in found]
            assert len(keys) == len(set(keys))
            assert len({v.cpu_platform == "" for v in found}) <= 1


class TestRows:
    def test_each_has_a_source_a_date_and_a_confidence(self) -> None:
        for row in cap_rows():
            if row["egress_gbps"]:
                assert row["source"]
                assert row["confidence"] in {"high", "medium", "low"}
                assert date.fromisoformat(row["source_date"]) <= TODAY
                assert date.fromisoformat(row["valid_from"]) <= TODAY
                assert bool(row["nic_types"]) == (row["nic_basis"] == "documented")
            else:
                assert row["confidence"] == "none"

    def test_what_no_source_states_stays_unknown(self) -> None:
        assert cap("m2-ultramemx-96") is None
        assert "obsolete" in load_caps(TODAY).unknown_reason("m2-ultramemx-96")

    def test_brackets_of_a_series_do_not_overlap(self) -> None:
        caps = load_caps(TODAY)
        for series in {row["series"] for row in cap_rows() if row["form"] == "custom"}:
            for vcpus in range(1, 129):
                found = caps.variants(f"{series}-custom-{vcpus}-{vcpus * 1024}")
                keys = [(v.is_tier1, v.cpu_platform) for v in found]
                assert len(keys) == len(set(keys)), (series, vcpus)

    def test_more_vcpus_never_lower_the_cap_of_a_series(self) -> None:
        # E2's shared cores and the two names with a region's exception aside, caps only rise.
        values: dict[tuple[str, str, str], dict[int, float]] = {}
        for row in cap_rows():
            if row["egress_gbps"] and not row["valid_until"] and row["form"] == "predefined":
                family = row["machine_type"].rpartition("-")[0]
                key = (family, row["tier"], row["cpu_platform_before"])
                if row["machine_type"].rpartition("-")[2].isdigit():
                    values.setdefault(key, {})[int(row["vcpus_min"])] = float(row["egress_gbps"])
        for by_vcpus in values.values():
            rates = [rate for _, rate in sorted(by_vcpus.items())]
            assert rates == sorted(rates)

    def test_an_answer_names_its_source_and_type(self) -> None:
        found = cap("n2-standard-8")
        assert found is not None
        assert found.machine_type == "n2-standard-8"
        assert found.vcpus == 8
        assert "general-purpose-machines" in found.source
        assert found.as_of == date(2026, 4, 15)
        assert load_caps(TODAY).source_date >= found.as_of


class TestUnknownNames:
    def test_the_nearest_are_named(self) -> None:
        assert "n2-standard-32" in load_caps(TODAY).nearest("n2-standrd-32")
        assert load_caps(TODAY).nearest("N2-STANDARD-32")[0] == "n2-standard-32"

    def test_a_custom_type_that_cannot_be_has_no_cap(self) -> None:
        caps = load_caps(TODAY)
        assert caps.variants("n2-custom-4-8192")
        assert caps.variants("n2-custom-3-8192") == ()
        assert "1 vCPU or an even number" in caps.unknown_reason("n2-custom-3-8192")

    @pytest.mark.parametrize(
        "name",
        ["\x1b[31mred", "x" * 10_000, "\x1b-custom-micro-1", "=cmd|' /C calc'!A0", "[bold]x"],
    )
    def test_a_hostile_name_stays_inert(self, name: str) -> None:
        reason = load_caps(TODAY).unknown_reason(name)
        assert "\x1b" not in reason
        assert len(reason) < 400


@needs_shared
class TestAgainstTheSource:
    def test_the_table_is_what_the_script_makes_of_it(self, tmp_path: Path) -> None:
        target = tmp_path / "caps.csv"
        module = runpy.run_path(str(SCRIPT))
        module["main"]([str(shared("data/network")), "--output", str(target)])
        assert target.read_bytes() == (DATA / "egress_caps.csv").read_bytes()

    def test_every_number_of_the_source_is_here(self) -> None:
        caps = load_caps(TODAY)
        with shared("data/network/vm_egress_caps.csv").open(encoding="utf-8") as file:
            lines = [line for line in csv.DictReader(file) if line["default_egress_gbps"]]
        checked = 0
        for line in lines:
            variants = caps.variants(line["machine_type"])
            if not variants:
                assert "*" in line["machine_type"] or "(" in line["machine_type"]
                continue
            default = max(v.egress_gbps for v in variants if not v.is_tier1)
            tier1 = [v.egress_gbps for v in variants if v.is_tier1]
            external = {v.external_gbps for v in variants if not v.is_tier1}
            assert default == float(line["default_egress_gbps"])
            assert tier1 == [float(t) for t in [line["tier1_egress_gbps"]] if t]
            stated = line["external_egress_default_gbps"]
            assert external == {float(stated) if stated else None}
            checked += 1
        assert checked > 580

    def test_an_unknown_text_stops_the_script(self, tmp_path: Path) -> None:
        text = shared("data/network/vm_egress_caps.csv").read_text(encoding="utf-8")
        broken = text.replace("2 at 1 vCPU; 10 at 2-4", "about 2 at 1 vCPU; 10 at 2-4")
        assert broken != text
        (tmp_path / "vm_egress_caps.csv").write_text(broken, encoding="utf-8")
        module = runpy.run_path(str(SCRIPT))
        with pytest.raises(SystemExit, match="unknown text on custom types"):
            module["main"]([str(tmp_path), "--output", str(tmp_path / "out.csv")])
        assert not (tmp_path / "out.csv").exists()
