"""Which paths are worth a probe, and where none is made, with the reason."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import msgspec
import pytest

from netplan_planner.errors import UsageError
from netplan_planner.judging.suppressions import Suppressions, read_suppressions
from netplan_planner.measuring.campaign import StopRule
from netplan_planner.measuring.protocol import run_times
from netplan_planner.model import Facts, Instance, PathClass
from netplan_planner.model.evidence.measurement import NO_PROBE_LABEL
from netplan_planner.verbs.probe.answer import LeftOutKind, ProbePath
from netplan_planner.verbs.probe.choice import ProbeCaps
from netplan_planner.verbs.probe.paths import PathMaker
from netplan_planner.verbs.probe.plan import ProbeQuestion, plan_for, plan_probe
from netplan_planner.world.request import InputRequest
from support.rules.facts import facts_of, machine

ALL_DRAWS = True
EXTERNAL = PathClass.SAME_ZONE_EXTERNAL
INTERNAL = PathClass.SAME_ZONE_INTERNAL
TALK = (("web", "db", EXTERNAL, 1.5), ("db", "web", EXTERNAL, 0.2))
DEMOS = ("gecko", "dobermanifesto", "interzone")


def with_external(instance: Instance, address: str) -> Instance:
    nic = msgspec.structs.replace(instance.interfaces[0], external_ipv4=address)
    return msgspec.structs.replace(instance, interfaces=(nic,))


WEB = machine("web", "n2-standard-2")
DB = with_external(machine("db", "n2-standard-2"), "35.0.0.9")


def suppressions(facts: Facts, tmp_path: Path, text: str = "") -> Suppressions:
    file = tmp_path / "ignore.toml"
    file.write_text(text, "utf-8")
    return read_suppressions(file, facts)


def of_findings(
    facts: Facts, tmp_path: Path, *, text: str = "", most: int = 50
) -> Sequence[ProbePath]:
    return PathMaker(facts).of_findings(suppressions(facts, tmp_path, text), max_count=most).paths


def test_a_finding_gives_the_path_it_is_about_and_the_one_it_advises(tmp_path: Path) -> None:
    paths = of_findings(facts_of(WEB, DB, talk=TALK), tmp_path)
    assert [(one.client.name, one.server.name, one.path_class) for one in paths] == [
        ("web", "db", EXTERNAL),
        ("web", "db", INTERNAL),
    ]
    assert [one.address for one in paths] == ["35.0.0.9", "10.0.0.1"]
    for one in paths:
        assert one.refused == ""
        assert "external-ip-intra-zone" in {stake.rule for stake in one.stakes}
        assert any(stake.saving_usd_per_month for stake in one.stakes)
    assert paths[0].there.src.machine_type == "n2-standard-2"
    assert paths[0].back.path_class is EXTERNAL


def test_findings_that_are_suppressed_silent_or_too_many_give_no_path(tmp_path: Path) -> None:
    text = '[[ignore]]\nrule = "address"\nreason = "known"\n'
    paths = of_findings(facts_of(WEB, DB, talk=TALK), tmp_path, text=text)
    assert INTERNAL not in {one.path_class for one in paths}
    rules = {stake.rule for one in paths for stake in one.stakes}
    assert "external-ip-intra-zone" not in rules
    # No traffic shows no paths.
    assert of_findings(facts_of(WEB, DB), tmp_path) == ()
    # Paths beyond the greatest number are counted.
    facts = facts_of(WEB, DB, talk=TALK)
    found = PathMaker(facts).of_findings(suppressions(facts, tmp_path), max_count=1)
    assert len(found.paths) == 1
    assert found.notes[0] == "1 more path of findings was not checked (--max-paths)"


def named(
    *machines: Instance, is_external: bool = False, pairs: tuple[tuple[str, str], ...] = ()
) -> Sequence[ProbePath]:
    facts = facts_of(*machines)
    names = pairs or ((machines[0].name, machines[1].name),)
    return PathMaker(facts).named(names, is_external=is_external).paths


@pytest.mark.parametrize(
    ("zones", "is_external", "wanted"),
    [
        (("us-central1-a", "us-central1-a"), False, INTERNAL),
        (("us-central1-a", "us-central1-b"), False, PathClass.INTER_ZONE_INTERNAL),
        (("us-central1-a", "us-east1-b"), False, PathClass.INTER_REGION_INTERNAL),
        (("us-central1-a", "us-central1-a"), True, EXTERNAL),
        (("us-central1-a", "us-central1-b"), True, PathClass.INTER_ZONE_EXTERNAL),
        (("us-central1-a", "us-east1-b"), True, PathClass.INTER_REGION_EXTERNAL),
    ],
)
def test_named_pairs_are_timed_by_their_round_trip(
    zones: tuple[str, str], is_external: bool, wanted: PathClass
) -> None:
    server = with_external(machine("b", zone=zones[1]), "35.0.0.1")
    (path,) = named(machine("a", zone=zones[0]), server, is_external=is_external)
    assert path.path_class is wanted
    assert path.address == ("35.0.0.1" if is_external else "10.0.0.1")
    times = run_times(rtt_ms=path.there.rtt_ms)
    assert (path.there.omit_s, path.there.duration_s) == (times.omit_s, times.duration_s)
    assert path.stakes == ()


def test_a_pair_is_one_path_between_two_machines() -> None:
    assert len(named(machine("a"), machine("b"), pairs=(("a", "b"), ("b", "a")))) == 1
    # Machines of one name are told apart.
    twins = machine("a", zone="us-central1-a"), machine("a", zone="us-central1-b")
    pair = ("us-central1-a/instances/a", "us-central1-b/instances/a")
    (path,) = named(*twins, pairs=(pair,))
    assert path.name == "p.us-central1-a.a--p.us-central1-b.a--inter-zone-internal"
    # A pair needs two machines.
    with pytest.raises(UsageError, match="--pair a:a: a path needs two different VMs"):
        named(machine("a"), machine("b"), pairs=(("a", "a"),))


LABELLED = machine("b", labels=((NO_PROBE_LABEL, "no"),))
STOPPED = msgspec.structs.replace(machine("b"), status="TERMINATED")
WINDOWS = msgspec.structs.replace(machine("b"), guest_os_features=frozenset({"WINDOWS"}))
NOWHERE = msgspec.structs.replace(machine("b"), interfaces=())


@pytest.mark.parametrize(
    ("one", "is_external", "why"),
    [
        (LABELLED, False, "b has the label netplan-no-probe"),
        (STOPPED, False, "b is not running (TERMINATED); netplan starts no VM"),
        (WINDOWS, False, "b runs Windows; the prober needs a Linux shell"),
        (NOWHERE, False, "no network joins a with an internal IPv4 address of b"),
        (machine("b"), True, "b has no external IPv4 address"),
    ],
)
def test_why_a_path_is_refused(one: Instance, is_external: bool, why: str) -> None:
    (path,) = named(machine("a"), one, is_external=is_external)
    assert path.refused == why


@pytest.mark.parametrize("one", [LABELLED, STOPPED, WINDOWS])
def test_either_end_refuses(one: Instance) -> None:
    (path,) = named(one, machine("a"))
    assert path.refused.startswith("b ")


def test_a_label_wins_over_everything_else_in_the_plan() -> None:
    facts = facts_of(WEB, msgspec.structs.replace(DB, labels=((NO_PROBE_LABEL, ""),)), talk=TALK)
    question = ProbeQuestion(stop=StopRule(tolerance_ratio=0.01))
    found = PathMaker(facts).named((("web", "db"),), is_external=True)
    plan = plan_for(question, facts, title="t", found=found)
    assert plan.probes == ()
    assert {(one.kind, one.reason) for one in plan.left_out} == {
        (LeftOutKind.REFUSED, "db has the label netplan-no-probe")
    }


@pytest.mark.parametrize("demo", DEMOS)
def test_a_demo_has_a_believable_plan(demo: str) -> None:
    request = InputRequest(today=date(2026, 11, 22), demo=demo)
    plan = plan_probe(ProbeQuestion(), request)
    assert plan.probes
    assert plan == plan_probe(ProbeQuestion(), request)
    # What probes are to find may move a value, and an interval then goes with it at one end.
    assert plan.expected_log_width < plan.most_log_width < 1.5 * plan.mean_log_width
    for planned in plan.probes:
        probe = planned.probe
        assert planned.gain > 0
        assert probe.path.stakes
        assert probe.expected.usd is not None
        assert probe.most.usd is not None
        assert 0 <= probe.expected.usd <= probe.most.usd < 10
        assert probe.expected.seconds < probe.most.seconds
    ratios = [planned.gain_per_usd or 0.0 for planned in plan.probes]
    assert ratios == sorted(ratios, reverse=True)
    assert all(impact.seen_p95_gbps for impact in plan.impacts)


def test_the_plan_of_gecko_asks_for_the_external_path_and_pays_for_it() -> None:
    plan = plan_probe(ProbeQuestion(), InputRequest(today=date(2026, 11, 22), demo="gecko"))
    (chosen, *_) = (one for one in plan.probes if one.probe.path.path_class is EXTERNAL)
    first = chosen.probe
    assert {line.sku_id for line in first.expected.line_items} == {"DE9E-AFBC-A15A"}
    assert first.expected.usd
    assert chosen.tells[0].limit == "external-path (same-zone-external)"
    assert chosen.tells[0].other_paths == 7
    limits = ProbeQuestion(caps=ProbeCaps(max_gib=1))
    assert plan_probe(limits, InputRequest(today=date(2026, 11, 22), demo="gecko")).probes == ()


def test_the_name_of_a_plan_is_that_of_what_is_measured() -> None:
    facts = facts_of(machine("a"), machine("b"), machine("c"))
    maker = PathMaker(facts)

    def name(pair: tuple[str, str] = ("a", "b"), **more: object) -> str:
        asked = ProbeQuestion(**{"stop": StopRule(tolerance_ratio=0.01), **more})  # type: ignore[arg-type]
        found = maker.named((pair,), is_external=False)
        plan = plan_for(asked, facts, title="t", found=found)
        assert plan.probes
        return plan.id

    assert name() == name() == name(caps=ProbeCaps(max_seconds=10_000))
    others = {
        name(pair=("a", "c")),
        name(seed=1),
        name(stop=StopRule(tolerance_ratio=0.01, min_runs=4)),
        name(time_scale=2.0),
    }
    assert len({name(), *others}) == 5


def test_other_streams_than_those_of_the_protocol_are_refused() -> None:
    with pytest.raises(UsageError, match="--streams 4: probes run 1 or 16 streams"):
        plan_probe(
            ProbeQuestion(streams=(4,)), InputRequest(today=date(2026, 11, 22), demo="gecko")
        )
