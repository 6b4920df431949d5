"""Which machines are copies of one service, by their names."""

from netplan_planner.machines.copies import replica_sets
from support.rules.facts import facts_of, machine


def test_the_bare_name_is_a_copy_beside_its_replica() -> None:
    bare, copy = machine("db"), machine("db-replica", zone="us-central1-b")
    sets = replica_sets(facts_of(bare, copy, machine("web")))
    assert sets.why_copies(bare, copy) == "both are named db-…"
    assert sets.joined_by_move(bare, "us-central1-b").startswith("db-replica, another copy")


def test_machines_of_other_names_are_no_copies() -> None:
    db, web = machine("db"), machine("web-1", zone="us-central1-b")
    assert replica_sets(facts_of(db, web)).why_copies(db, web) == ""
