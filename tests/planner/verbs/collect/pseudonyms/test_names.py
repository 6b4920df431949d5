"""Names: alike ones alike everywhere, copies still copies, and words of Google's as they were."""

import re

import pytest

from netplan_planner.machines.copies import name_stem
from netplan_planner.verbs.collect.pseudonyms.names import Names

NAMES = Names(b"key")


def test_a_word_or_number_is_replaced_and_a_place_stays() -> None:
    link = NAMES.text("projects/acme-prod/zones/us-central1-a/instances/shop-7")
    project, name = NAMES.text("acme-prod"), NAMES.text("shop-7")
    assert link == f"projects/{project}/zones/us-central1-a/instances/{name}"
    assert not re.search("acme|prod|shop", link)
    assert re.fullmatch("[a-z][-a-z0-9]{0,62}", name)
    assert NAMES.text("acme.com:prod") != NAMES.text("acme.com:test")
    # Types of google and places stay in links.
    link = NAMES.text("projects/p9x/zones/europe-west1-b/machineTypes/n2-standard-8")
    assert link.endswith("/zones/europe-west1-b/machineTypes/n2-standard-8")
    assert "p9x" not in link
    assert NAMES.text("default") == "default"
    # Long numbers and other scripts are replaced.
    assert "8123456789" not in NAMES.text("8123456789")
    assert "größe" not in NAMES.text("größe-1")
    assert NAMES.text("10.1.2.3").count(".") == 3


@pytest.mark.parametrize(
    ("one", "other"),
    [("web-1", "web-2"), ("db-primary", "db-replica-2"), ("zk1", "zk2"), ("q-us-east1-b", "q-a")],
)
def test_copies_of_one_thing_stay_copies(one: str, other: str) -> None:
    assert name_stem(NAMES.text(one)) == name_stem(NAMES.text(other))
    assert NAMES.text(one) != NAMES.text(other)
    assert name_stem(NAMES.text(one)) != name_stem(NAMES.text("other-1"))


@pytest.mark.parametrize(
    "text", ["", "/24", "projects/windows-cloud/global/licenses/windows-server-2019-dc"]
)
def test_what_is_not_the_owners_stays(text: str) -> None:
    assert NAMES.text(text) == text


def test_the_end_that_a_group_drew_is_another_such_end() -> None:
    """Copies stay copies, no two become one, and what was drawn is not told."""
    names = Names(b"key")
    drawn = [
        f"kafka-{a}{b}{c}{d}" for a in "abcd" for b in "0123456789" for c in "xyz" for d in "12"
    ]
    made = [names.text(name) for name in drawn]
    assert len(set(made)) == len(drawn)
    assert {name_stem(name) for name in made} == {name_stem(names.text("kafka-889d"))}
    kept = [one for one, name in zip(drawn, made, strict=True) if one.split("-")[1] in name]
    assert not kept
