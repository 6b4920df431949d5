"""Hits become findings: grouped, summed, ordered; crashes and gaps are never a pass."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.findings import fingerprint, merge_lines
from netplan_planner.judging.fixes import answer
from netplan_planner.judging.judged import judge
from netplan_rules.base import Rule
from netplan_rules.work import READ_AGAIN
from support.rules.facts import facts_of, machine

RULE = Rule(
    id="a-rule",
    title="A rule",
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY}),
    rationale="",
    remediation="",
    guards="",
    references=("https://example.com",),
    work=READ_AGAIN,
    since="0.1.0",
    group_message="{volume:.0f} GiB of {count} pairs in {place}",
    summed=("volume",),
)


def line(usd: str, quantity: str = "1", name: str = "traffic") -> model.LineItem:
    return model.LineItem(
        name=name,
        quantity=Decimal(quantity),
        unit="GiB",
        unit_price_usd=Decimal(usd),
        usd_per_month=Decimal(usd) * Decimal(quantity),
        as_of=date(2026, 7, 30),
        source="test",
    )


def made(*hits: model.Hit, rule: Rule = RULE) -> tuple[model.Finding, ...]:
    return answer(facts_of(machine("a")), [(rule, hits)]).findings


def hit(name: str, *, volume: float = 1.0, cause: str = "", **fields: object) -> model.Hit:
    return model.Hit(
        resources=(
            model.ResourceRef(self_link=model.SelfLink(f"projects/p/zones/z/instances/{name}")),
        ),
        subject=name,
        message=f"{name} talks",
        cause=cause,
        evidence=(
            model.Evidence(name="volume", value=volume, unit="GiB"),
            model.Evidence(name="place", value="z"),
        ),
        **fields,  # type: ignore[arg-type]
    )


def test_hits_of_a_cause_become_one_finding_with_the_greatest_first() -> None:
    hits = [
        hit("a", volume=1, saving=model.Saving(items=(line("0.01", "100"),))),
        hit(
            "b",
            volume=3,
            saving=model.Saving(items=(line("0.01", "300"),)),
            fix=model.Fix(text="x", commands=("c",)),
        ),
    ]
    (finding,) = made(*hits)
    assert finding.subject == "b"
    assert finding.message == "4 GiB of 2 pairs in z"
    assert [m.subject for m in finding.members] == ["b", "a"]
    assert finding.members[0].fix == model.Fix(text="x", commands=("c",))
    assert finding.members[1].fix is None
    assert finding.saving_usd_per_month == Decimal("4.00")
    assert finding.line_items == (line("0.01", "400"),)
    # A single hit keeps its own words.
    (finding,) = made(hit("a"))
    assert finding.message == "a talks"
    assert finding.saving_usd_per_month is None
    # Order of hits changes nothing.
    hits = [hit("a"), hit("b", cause="h"), hit("c", volume=9), hit("d", cause="i")]
    assert len(made(*hits)) == 3
    assert made(*hits) == made(*hits[::-1])


def test_amounts_of_a_finding_are_sums_and_the_unknown_is_said() -> None:
    hits = [
        hit("a", saving=model.Saving(items=(line("0.01", "100"),))),
        hit("b", saving=model.Saving(items=(line("9"),), unknown="no price of x")),
    ]
    (finding,) = made(*hits)
    assert finding.saving_usd_per_month == Decimal("1.00")
    assert finding.saving_unknown == "no price of x"
    # Costs and savings of one name stay apart.
    lines = [line("2", "5"), line("2", "-3"), line("2", "1")]
    assert [item.quantity for item in merge_lines(lines)] == [Decimal(6), Decimal(-3)]
    # What is paid before and after alike is in no line.
    lines = [line("2", "5"), line("2", "-4"), line("3", "-1"), line("2", "-1")]
    (left,) = merge_lines(lines)
    assert (left.quantity, left.unit_price_usd) == (Decimal(-1), Decimal(3))


def test_confidence_is_that_of_half_of_what_is_at_stake() -> None:
    small = hit(
        "a", saving=model.Saving(items=(line("1"),)), doubts=("thin",), at_most=model.Confidence.LOW
    )
    large = hit("b", saving=model.Saving(items=(line("9"),)))
    (finding,) = made(small, large)
    assert finding.confidence is model.Confidence.HIGH
    assert finding.confidence_reason == "2 places: 1 high, 1 low (mostly: thin)"
    (other,) = made(small, hit("b", saving=model.Saving(items=(line("0.5"),))))
    assert other.confidence is model.Confidence.LOW
    assert [m.confidence for m in finding.members] == [model.Confidence.HIGH, model.Confidence.LOW]


def test_fingerprints_name_the_place_of_a_member_and_the_cause_of_a_finding() -> None:
    assert fingerprint(RULE, hit("a", volume=1)) == fingerprint(RULE, hit("a", volume=2))
    assert fingerprint(RULE, hit("a")) != fingerprint(RULE, hit("b"))
    (one,) = made(hit("a"))
    (two,) = made(hit("a"), hit("b"))
    assert one.fingerprint == two.fingerprint != made(hit("a", cause="x"))[0].fingerprint
    assert one.members[0].fingerprint == fingerprint(RULE, hit("a"))


def test_findings_come_by_severity_and_then_as_their_fixes_rank() -> None:
    slow, fast = model.Estimate(gbps=1.0), model.Estimate(gbps=9.0)
    found = made(
        hit("plain", cause="1"),
        hit("little", cause="2", saving=model.Saving(items=(line("5"),))),
        hit("rich", cause="3", saving=model.Saving(items=(line("5000"),))),
        hit("waits", cause="4", throughput_now=slow, throughput_fixed=fast, used_ratio=0.9),
        hit("idle", cause="5", throughput_now=slow, throughput_fixed=fast, used_ratio=0.1),
        hit("grave", cause="6", severity=model.Severity.HIGH),
    )
    assert [(f.subject, f.severity.value, f.rank) for f in found] == [
        ("waits", "high", 1),
        ("rich", "high", 2),
        ("grave", "high", None),
        ("plain", "medium", None),
        ("little", "info", None),
        ("idle", "info", None),
    ]


def run(
    *said: model.Hit | model.Gap, crash: bool = False, needs: frozenset[model.Need] = RULE.needs
) -> object:
    def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
        yield from said
        if crash:
            raise ZeroDivisionError("boom")

    from msgspec.structs import replace

    return judge(replace(RULE, needs=needs)(check), facts_of(machine("a")))


def test_a_crash_a_gap_and_missing_evidence_are_no_pass() -> None:
    judged = run(hit("a"), crash=True)
    assert judged.hits == ()  # type: ignore[attr-defined]
    (note,) = judged.not_evaluated  # type: ignore[attr-defined]
    assert note.kind == "crashed"
    assert "ZeroDivisionError: boom" in note.reason
    # Missing evidence is not a pass.
    judged = run(needs=frozenset({model.Need.TRAFFIC, model.Need.TARGETS}))
    (note,) = judged.not_evaluated  # type: ignore[attr-defined]
    assert note.kind == "missing-evidence"
    assert "no traffic given" in note.reason
    assert "no VM has a target bandwidth" in note.reason
    # Gaps are counted by reason.
    refs = [model.ResourceRef(self_link=model.SelfLink(f"projects/p/{n}")) for n in range(7)]
    judged = run(
        *(model.Gap(resource=ref, reason="no cap") for ref in refs),
        model.Gap(resource=refs[0], reason="x"),
    )
    first, second = judged.not_evaluated  # type: ignore[attr-defined]
    assert (first.reason, first.resource_count, len(first.examples)) == ("no cap", 7, 5)
    assert (second.reason, second.resource_count) == ("x", 1)
    # What several needs lack alike is said once.
    rule = replace(RULE, needs=frozenset({model.Need.NODES, model.Need.SERVICES}))
    (note,) = judge(rule(lambda facts: iter(())), facts_of(machine("a"))).not_evaluated
    assert note.reason == "no Kubernetes objects given (--inventory)"


def test_the_order_says_what_to_do_where_places_differ() -> None:
    def resize(name: str, label: str, usd: str) -> model.Hit:
        fix = model.Fix(text=f"take {label}", label=label)
        return hit(name, saving=model.Saving(items=(line(usd, "100"),)), fix=fix)

    one = (resize("a", "n2d-standard-16", "3"), resize("b", "n2d-standard-16", "2"))
    facts = facts_of(machine("a"))
    (same,) = answer(facts, [(RULE, one)]).do_first
    assert same.label == "n2d-standard-16"
    other = (*one, resize("c", "n4-standard-2", "1"))
    (mixed,) = answer(facts, [(RULE, other)]).do_first
    assert mixed.label == "n2d-standard-16 or n4-standard-2"
