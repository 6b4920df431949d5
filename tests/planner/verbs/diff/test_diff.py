"""`netplan diff`: a plan against the state before it, two reports, and traffic that is carried."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.model import Metric
from support.commands.in_process import netplan
from support.metrics.series import machine, page, time_series
from support.projects.plan_of_vms import PLANNED, PRIOR, Json, write_plan
from support.projects.sample_repository import live_instances

GECKO = "gecko-demo"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("report") / "report.json"
    netplan("audit", "--demo", "gecko", "--fail-on", "never", "--output", f"json:{file}")
    return file


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("bundle") / "gecko.tar.zst"
    assert netplan("collect", "--demo", "gecko", "--out", str(file)).status == 0
    return file


def diff(*words: object, status: int = 0) -> Json:
    done = netplan("diff", *map(str, words), "--output", "json")
    assert done.status == status, done.err
    return dict(json.loads(done.out))


def of(answer: Json, state: str) -> list[Json]:
    return [one for one in answer["findings"] if one["state"] == state]


def usd(name: str, answer: Json) -> Decimal:
    return Decimal(str(answer["total"][name])).quantize(Decimal("0.01"))


def gecko_plan(path: Path, report: Path, **changed: tuple[str, str] | None) -> Path:
    """Write a plan whose state holds the sample's VMs, some of which change or go."""
    rows = json.loads(report.read_text("utf-8"))["machines"]
    before = {row["name"]: (row["machine_type"], row["zone"]) for row in rows}
    named = {name.replace("_", "-"): to for name, to in changed.items()}
    after = {name: to for name, to in {**before, **named}.items() if to is not None}
    return write_plan(path, before, after, project=GECKO)


def altered(report: Path, path: Path, change: Any) -> Path:
    held = json.loads(report.read_text("utf-8"))
    change(held)
    path.write_text(json.dumps(held), "utf-8")
    return path


# A plan against the state before it


def test_a_plan_shows_money_before_and_after(tmp_path: Path) -> None:
    found = diff(write_plan(tmp_path / "plan.json"))
    # n2-highmem-8 and n2-standard-4 for 730 h in us-central1 with the sustained-use discount of
    # 20 %: hourly $0.524 and $0.194; twice the one, the other, and two halves of the one.
    assert (usd("before_usd", found), usd("after_usd", found)) == (
        Decimal("419.48"),
        Decimal("1031.58"),
    )
    assert usd("change_usd", found) == usd("by_project_usd", found) == Decimal("612.10")
    vms = {one["name"]: one for one in found["machines"]}
    assert {name: one["state"] for name, one in vms.items()} == {
        "db-1": "changed",
        "cache-1": "new",
        "cache-2": "new",
    }
    assert (vms["db-1"]["before"]["egress_gbps"], vms["db-1"]["after"]["egress_gbps"]) == (16, 32)
    assert vms["cache-1"]["before"] is None


def test_a_first_apply_has_nothing_before(tmp_path: Path) -> None:
    found = diff(write_plan(tmp_path / "plan.json", has_state=False))
    assert (found["before"]["vm_count"], found["after"]["vm_count"]) == (0, len(PLANNED))
    assert usd("before_usd", found) == 0
    assert {one["state"] for one in found["machines"]} == {"new"}


def test_a_destroyed_vm_is_gone_and_takes_its_findings(tmp_path: Path) -> None:
    found = diff(write_plan(tmp_path / "plan.json", after={"web-0": PRIOR["web-0"]}))
    assert [(one["name"], one["state"]) for one in found["machines"]] == [("db-1", "fixed")]
    assert any("db-1" in one["subject"] for one in of(found, "fixed"))
    assert usd("change_usd", found) < 0


def test_a_type_in_a_subject_makes_no_new_finding(tmp_path: Path) -> None:
    found = diff(write_plan(tmp_path / "plan.json"))
    assert [one["subject"].split()[0] for one in of(found, "new")] == ["cache-1", "cache-2"]
    assert [one["subject"].split()[0] for one in of(found, "changed")] == ["db-1"]


def test_a_place_is_unchanged_where_other_places_made_its_finding_graver(tmp_path: Path) -> None:
    (web,) = of(diff(write_plan(tmp_path / "plan.json")), "unchanged")
    assert web["subject"].startswith("web-0")
    assert (web["severity_before"], web["severity"]) == ("low", "medium")


def test_a_severity_that_moved_alone_is_a_change(tmp_path: Path, report: Path) -> None:
    def graver(held: Json) -> None:
        for one in held["findings"]:
            one["severity"] = "info"

    found = diff(report, altered(report, tmp_path / "graver.json", graver))
    moved = [one for one in found["findings"] if one["severity"] != one["severity_before"]]
    assert of(found, "changed") == moved != []


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ((), 0),
        (("--fail-on-new", "high"), 0),
        (("--fail-on-new", "medium"), 1),
        (("--fail-on-increase", "612"), 1),
        (("--fail-on-increase", "613"), 0),
    ],
)
def test_gates(tmp_path: Path, words: tuple[str, ...], status: int) -> None:
    assert netplan("diff", str(write_plan(tmp_path / "p.json")), *words).status == status


def test_an_unknown_rise_passes_no_gate(tmp_path: Path) -> None:
    plan = write_plan(tmp_path / "p.json", after={**PRIOR, "odd": ("n9-odd-4", "us-central1-a")})
    done = netplan("diff", str(plan), "--fail-on-increase", "1000")
    assert done.status == 4
    assert "1 changed VM without a known price, such as odd" in done.err


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("unpriced_machine_count", "5 more VMs without a known price"),
        ("unlisted_groups", "5 more groups, node pools or clusters without a known price"),
        ("unpriced_gib", "5.0 more GiB of traffic without a known price"),
    ],
)
def test_more_without_a_price_passes_no_gate(
    tmp_path: Path, report: Path, name: str, why: str
) -> None:
    def more(held: Json) -> None:
        held["bill"][name] = held["bill"].get(name, 0) + 5

    after = altered(report, tmp_path / "after.json", more)
    done = netplan("diff", str(report), str(after), "--fail-on-increase", "1")
    assert done.status == 4
    assert why in done.err


def test_a_gate_says_why_it_failed(tmp_path: Path) -> None:
    plan, comment = write_plan(tmp_path / "plan.json"), tmp_path / "comment.md"
    words = ("--fail-on-increase", "100", "--output", f"github-comment:{comment}")
    done = netplan("diff", str(plan), *words)
    assert (done.status, done.out) == (1, "")
    assert "exit status 1: the cost per month rises by more than --fail-on-increase" in done.err


def test_a_name_in_two_zones_is_two_vms_on_either_side(tmp_path: Path, report: Path) -> None:
    def twin(held: Json) -> None:
        first = held["machines"][0]
        held["machines"].append({**first, "zone": "us-east1-d"})

    two = altered(report, tmp_path / "two.json", twin)
    assert [one["state"] for one in diff(report, two)["machines"]] == ["new"]
    assert [one["state"] for one in diff(two, report)["machines"]] == ["fixed"]


def test_a_filtered_finding_that_became_graver_is_changed(tmp_path: Path, report: Path) -> None:
    def hide(held: Json) -> None:
        one = next(one for one in held["findings"] if one["severity"] == "high")
        held["findings"].remove(one)
        held["filtered"] = [
            {
                "rule": one["rule"],
                "subject": one["subject"],
                "severity": "low",
                "saving_usd_per_month": 3,
                "why": "below --severity medium",
                "fingerprint": one["fingerprint"],
            }
        ]

    found = diff(altered(report, tmp_path / "before.json", hide), report)
    changed = of(found, "changed")
    assert changed
    assert {(one["severity_before"], one["severity"]) for one in changed} == {("low", "high")}


def test_alike_places_that_are_added_leave_the_others_unchanged(
    tmp_path: Path, report: Path
) -> None:
    def lighter(held: Json) -> None:
        one = max(held["findings"], key=lambda finding: len(finding["members"]))
        assert len(one["members"]) > 1
        one["members"] = one["members"][:1]
        one["severity"] = "low"

    found = diff(altered(report, tmp_path / "few.json", lighter), report)
    assert not of(found, "changed")
    assert of(found, "new")


def test_a_name_is_no_command_to_a_runner(tmp_path: Path) -> None:
    plan = write_plan(tmp_path / "plan.json", after={**PLANNED, "::add-mask::e": PRIOR["web-0"]})
    done = netplan("diff", str(plan))
    assert "add-mask" in done.out
    assert not any(one.lstrip().startswith(("::", "##")) for one in done.out.splitlines())


def test_the_first_screen_has_forty_lines(tmp_path: Path, bundle: Path, report: Path) -> None:
    grown = {f"job-{n}": ("n2-standard-4", "us-central1-b") for n in range(60)}
    plans = (
        (write_plan(tmp_path / "a.json", after={**PLANNED, **grown}),),
        (bundle, gecko_plan(tmp_path / "b.json", report, transcoder_1=None)),
    )
    for words in plans:
        shown = netplan("diff", *map(str, words)).out.splitlines()
        assert len(shown) <= 40
        assert max(map(len, shown)) <= 100
        assert len(netplan("--explain", "diff", *map(str, words)).out.splitlines()) > 40


@pytest.mark.parametrize("text", ['{"planned_values": {}, "prior_state": {"values": 3}}', "{}"])
def test_a_damaged_state_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "plan.json").write_text(text, "utf-8")
    done = netplan("diff", str(tmp_path / "plan.json"))
    assert done.status in {2, 3}
    assert "prior_state is damaged" in done.err or "name two sides" in done.err


# Two reports


def test_a_report_is_as_itself_in_any_order(tmp_path: Path, report: Path) -> None:
    def turned(held: Json) -> None:
        held["findings"].reverse()
        held["machines"].reverse()
        for one in held["findings"]:
            one["members"].reverse()

    found = diff(report, altered(report, tmp_path / "renamed.json", turned))
    assert {one["state"] for one in found["findings"]} == {"unchanged"}
    assert (found["machines"], found["paths"], found["basis"]) == ([], [], [])
    assert usd("change_usd", found) == 0


def test_a_report_of_an_inventory_is_as_the_inventory(tmp_path: Path) -> None:
    plan, stored = write_plan(tmp_path / "plan.json"), tmp_path / "stored.json"
    words = ("--inventory", str(plan), "--exit-zero", "--output", f"json:{stored}")
    assert netplan("audit", *words).status == 0
    # A report has amounts in its messages as text, an inventory as decimals.
    assert {one["state"] for one in diff(stored, plan)["findings"]} == {"unchanged"}


def test_what_prices_moved_is_kept_apart(tmp_path: Path, report: Path) -> None:
    def dearer(held: Json) -> None:
        held["prices_sha256"] = "0" * 64
        for row in held["machines"]:
            row["machine_usd_per_month"] += 10
        held["bill"]["machines_usd"] += 10 * len(held["machines"]) + 5
        held["machines"][0]["machine_type"] = "n1-standard-8"

    found = diff(report, altered(report, tmp_path / "other.json", dearer))
    assert [one["name"] for one in found["basis"]] == ["prices"]
    count = len(found["machines"])
    assert usd("by_basis_usd", found) == 10 * (count - 1)
    assert usd("by_either_usd", found) == 15
    assert usd("by_project_usd", found) == 0
    causes = sorted(one["cause"] for one in found["machines"])
    assert causes == ["basis"] * (count - 1) + ["either"]
    # What prices alone move stops no pipeline.
    words = (str(report), str(tmp_path / "other.json"), "--fail-on-increase", "15")
    assert netplan("diff", *words).status == 0


def test_what_was_not_judged_is_not_fixed(tmp_path: Path, report: Path) -> None:
    def without_a_rule(held: Json) -> None:
        (gone,) = [one for one in held["findings"] if one["rule"] == "external-ip-intra-zone"]
        held["findings"].remove(gone)
        note = {"rule": gone["rule"], "reason": "no traffic", "kind": "missing-evidence"}
        held["not_evaluated"].append(note)

    other = altered(report, tmp_path / "other.json", without_a_rule)
    found = diff(report, other)
    assert of(found, "fixed") == []
    assert {one["why"] for one in of(found, "not judged")} == {"no traffic"}
    back = diff(other, report)
    assert {one["why"] for one in of(back, "new")} == {"not judged before: no traffic"}


def test_what_is_suppressed_is_not_fixed(tmp_path: Path, report: Path) -> None:
    def suppressing(held: Json) -> None:
        gone = held["findings"].pop(0)
        held["suppressed"] += [
            {
                **{name: one[name] for name in ("subject", "fingerprint", "saving_usd_per_month")},
                **{"rule": gone["rule"], "reason": "known", "source": "f", "expires": None},
            }
            for one in gone["members"]
        ]

    found = diff(report, altered(report, tmp_path / "other.json", suppressing))
    assert of(found, "fixed") == []
    assert {one["why"] for one in of(found, "not judged")} == {"suppressed: known"}


def test_two_sides_or_a_plan(report: Path) -> None:
    for words in ((), (str(report),), (str(report),) * 3):
        done = netplan("diff", *words)
        assert done.status == 2
        assert "name two sides" in done.err


# Traffic that is carried


def test_a_replaced_vm_carries_its_traffic(tmp_path: Path, bundle: Path, report: Path) -> None:
    moved = ("n1-standard-4", "us-central1-b")
    plan = gecko_plan(
        tmp_path / "plan.json",
        report,
        transcoder_1=moved,
        transcoder_4=None,
        transcoder_9=("n1-standard-2", "us-central1-a"),
    )
    found = diff(plan, "--traffic-from", bundle)
    told = [one.partition(": ")[2] for one in found["assumptions"]]
    assert told == [
        "1 replaced VM: traffic of the VM of the same name.",
        "The traffic of 1 VM that is gone is left out.",
        "The traffic of 1 VM is not known and not included.",
    ]
    vms = {one["name"]: one for one in found["machines"]}
    seen = vms["transcoder-1"]
    assert seen["after"]["egress_p95_gbps"] == seen["before"]["egress_p95_gbps"] > 0
    assert vms["transcoder-9"]["after"]["egress_p95_gbps"] is None
    # 27.5 TiB cross zones then, at $0.01/GiB as the price list has it.
    crossing = {
        (one["src_zone"], one["dst_zone"]): one["after"]
        for one in found["paths"]
        if one["path_class"] == "inter-zone-external"
    }
    sent = crossing["us-central1-b", "us-central1-a"]
    assert sent["usd_per_month"] == pytest.approx(sent["gib_per_month"] / 100)


def test_a_report_gives_rates_and_no_money(tmp_path: Path, report: Path) -> None:
    plan = gecko_plan(tmp_path / "plan.json", report, transcoder_1=("n1-standard-4", "us-east1-b"))
    found = diff(plan, "--traffic-from", report)
    (vm,) = found["machines"]
    assert vm["after"]["egress_p95_gbps"] == vm["before"]["egress_p95_gbps"] > 0
    assert "traffic" not in {one["part"] for one in found["money"]}
    assert any("needs a bundle" in one for one in found["assumptions"])


def test_a_bundle_gives_metrics_too(tmp_path: Path) -> None:
    live = tmp_path / "instances.json"
    live.write_text(json.dumps(live_instances()))
    of = machine("2", "us-central1-a", "shop-prod")
    # 60 GB a minute are 8 Gbit/s.
    series = time_series(Metric.VM_SENT_BYTES.value, [60e9] * 120, resource=of)
    (tmp_path / "series.json").write_text(json.dumps(page(series)))
    bundle = tmp_path / "live.tar.zst"
    given = ("--inventory", str(live), "--metrics", str(tmp_path / "series.json"))
    assert netplan("collect", *given, "--out", str(bundle)).status == 0
    found = diff(write_plan(tmp_path / "plan.json"), "--traffic-from", bundle)
    rates = {one["name"]: one["after"]["egress_p95_gbps"] for one in found["machines"]}
    assert rates == {"db-1": 8.0, "cache-1": None, "cache-2": None}


def test_a_bundle_and_a_plan_share_the_traffic(tmp_path: Path, bundle: Path, report: Path) -> None:
    found = diff(bundle, gecko_plan(tmp_path / "plan.json", report))
    traffic = next(one for one in found["money"] if one["part"] == "traffic")
    assert traffic["change_usd"] == 0
    assert traffic["before_usd"] > 0


def test_traffic_comes_of_a_report_or_a_bundle(tmp_path: Path) -> None:
    plan = write_plan(tmp_path / "plan.json")
    done = netplan("diff", str(plan), "--traffic-from", str(plan))
    assert done.status == 3
    assert "neither a report nor a bundle" in done.err


def test_what_is_declared_may_be_of_one_side_only(tmp_path: Path) -> None:
    config = tmp_path / "netplan.toml"
    config.write_text(
        '[tcp]\n"cache-*" = { receive_buffer_bytes = 67108864 }\n[targets]\n"cache-1" = 5\n',
        "utf-8",
    )
    plan = write_plan(tmp_path / "plan.json")
    found = diff(plan, "--config", config)
    assert usd("change_usd", found) == usd("change_usd", diff(plan))
