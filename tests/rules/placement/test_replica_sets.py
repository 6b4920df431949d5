"""Which machines are copies of one service, by their names."""

from netplan_planner.machines.groups import replica_sets
from support.rules.facts import facts_of, machine


def test_the_bare_name_is_a_copy_beside_its_replica() -> None:
    bare, copy = machine("db"), machine("db-replica", zone="us-central1-b")
    sets = replica_sets(facts_of(bare, copy, machine("web")))
    assert sets.why_copies(bare, copy) == "both are named db-…"
    assert sets.joined_by_move(bare, "us-central1-b").startswith("db-replica, another copy")


def test_machines_of_other_names_are_no_copies() -> None:
    db, web = machine("db"), machine("web-1", zone="us-central1-b")
    assert replica_sets(facts_of(db, web)).why_copies(db, web) == ""


def test_an_end_of_letters_is_a_copy_of_any_type_where_both_are_labelled_alike() -> None:
    labels = (("app", "kafka"),)
    one = machine("kafka-1", "c3-standard-8", labels=labels)
    drawn = machine("kafka-akgo", "c3-standard-22", zone="us-central1-b", labels=labels)
    assert replica_sets(facts_of(one, drawn)).why_copies(one, drawn) == (
        "both are named kafka-… and are labelled alike"
    )
    bare = machine("kafka-1", "c3-standard-8"), machine("kafka-akgo", "c3-standard-22")
    assert replica_sets(facts_of(*bare)).why_copies(*bare) == ""
