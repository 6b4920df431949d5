"""Rules hand over amounts of money typed, so that a report can show them in any currency."""

import re
from collections.abc import Iterator

from netplan_planner.judging.fixes import answer
from netplan_planner.model import Amount, Hit, Text, Words
from netplan_rules.registry import find_rule
from support.rules.facts import facts_of, machine
from support.rules.hits import hits_of_bad_cases, hits_of_rule

DOLLARS = re.compile(r"\$\s?\d")


def strings(text: Text) -> Iterator[str]:
    """Yield what of a text is no typed amount."""
    for part in text.parts if isinstance(text, Words) else (text,):
        if isinstance(part, str):
            yield part


def texts(hit: Hit) -> Iterator[Text]:
    yield from (hit.message, hit.subject, hit.saving.note, hit.saving.unknown)
    yield hit.confidence_reason
    if hit.fix is not None:
        yield from (hit.fix.text, hit.fix.label, hit.fix.caution)
        steps = (hit.fix.verify, hit.fix.clean_up, hit.fix.undo)
        yield from (step.text for step in steps if step is not None)


def test_no_rule_writes_dollars_into_a_text() -> None:
    found = [
        (rule, case, one)
        for rule, case, hit in hits_of_bad_cases()
        for text in texts(hit)
        for one in strings(text)
        if DOLLARS.search(one)
    ]
    assert found == []


def test_a_group_keeps_its_amounts_typed() -> None:
    hits = hits_of_rule("cud-after-move")
    rule = find_rule("cud-after-move").rule
    (finding,) = answer(facts_of(machine("a")), [(rule, (hits[0], hits[0]))]).findings
    assert isinstance(finding.message, Words)
    sums = [round(part.usd, 2) for part in finding.message.parts if isinstance(part, Amount)]
    figures = {item.name: item.value for item in finding.evidence}
    assert [float(usd) for usd in sums] == [
        round(float(figures["by_price"]), 2),
        round(float(figures["on_the_bill"]), 2),
    ]
    assert not any(DOLLARS.search(text) for text in strings(finding.message))
