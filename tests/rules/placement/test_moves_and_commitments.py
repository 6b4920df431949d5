"""A machine that moves to another region leaves its commitment behind; to another zone not."""

from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.model import Commitment, Facts, Hit, PathClass, SavingBasis
from netplan_rules.placement import chatty_inter_region_pair, chatty_inter_zone_pair
from support.prices.commitments import commitment
from support.rules.facts import facts_of, machine

COVERED = 730 * Decimal("0.8") * (8 * Decimal("0.031611") + 32 * Decimal("0.004237"))
"""What an n2-standard-8 costs, in both regions alike: SKUs BB77-5FDA-69D9, 5B01-D157-A097."""


def facts(far_zone: str, path_class: PathClass, *commitments: Commitment) -> Facts:
    found = facts_of(
        machine("web"),
        machine("store", zone=far_zone),
        talk=(("web", "store", path_class, 0.1),),
    )
    return replace(found, inventory=replace(found.inventory, commitments=commitments))


def between_regions(*commitments: Commitment) -> list[Hit]:
    found = facts("us-east1-b", PathClass.INTER_REGION_INTERNAL, *commitments)
    return [hit for hit in chatty_inter_region_pair.check(found) if isinstance(hit, Hit)]


def test_a_region_keeps_its_commitments() -> None:
    (free,) = between_regions()
    both = (commitment(8, 32), commitment(8, 32, name="east", region="us-east1"))
    (bound,) = between_regions(*both)
    assert free.saving_usd_per_month is not None
    assert bound.saving_usd_per_month == free.saving_usd_per_month - COVERED
    assert "in any case" in bound.saving.note


def test_the_one_without_a_commitment_moves() -> None:
    (hit,) = between_regions(commitment(8, 32))
    assert hit.fix is not None
    assert "Move store to us-central1-a" in hit.fix.text
    assert hit.saving_usd_per_month == between_regions()[0].saving_usd_per_month


def test_what_cannot_be_known_is_no_saving() -> None:
    (hit,) = between_regions(
        commitment(8, 32, "NEW_KIND"), commitment(8, 32, "NEW_KIND", region="us-east1")
    )
    assert hit.saving.basis is SavingBasis.BEFORE_COMMITMENTS
    assert hit.saving_usd_per_month is None


def test_zones_share_the_commitments_of_their_region() -> None:
    for commitments in ((), (commitment(16, 64),), (commitment(8, 32, "NEW_KIND"),)):
        found = facts("us-central1-b", PathClass.INTER_ZONE_INTERNAL, *commitments)
        (hit,) = (h for h in chatty_inter_zone_pair.check(found) if isinstance(h, Hit))
        assert hit.saving.basis is SavingBasis.BILL
        assert hit.saving.note == ""
