"""Fixes as they stand once those before them are made."""

from decimal import Decimal

import pytest
from msgspec.structs import replace

from netplan_planner.judging.made_so_far import Moved, as_of, named_as_of
from netplan_planner.model import Fix, Instruction, Zone
from netplan_rules.wording import PRICE_STAYS, internal_dns_name, internal_target
from support.rules.facts import machine

WEB = machine("web", zone="us-east1-b")
MOVED = (Moved(WEB, Zone("us-east1-d")),)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "gcloud compute instances stop web --zone=us-east1-b --project=p",
            "gcloud compute instances stop web --zone=us-east1-d --project=p",
        ),
        (
            f"gcloud compute ssh {WEB.ref.self_link} --project=p",
            f"gcloud compute ssh {WEB.ref.self_link.replace('-b/', '-d/')} --project=p",
        ),
        # Others that stay: another machine, another project, another zone.
        *(
            (f"gcloud compute instances stop {text}",) * 2
            for text in (
                "web-2 --zone=us-east1-b --project=p",
                "web --zone=us-east1-b --project=q",
                "web --zone=us-east1-c --project=p",
            )
        ),
    ],
)
def test_a_command_names_the_zone_of_that_moment(before: str, after: str) -> None:
    step = Instruction(text="It runs.", commands=(before,))
    fix = Fix(text="Stop it.", commands=(before,), verify=step, clean_up=step, undo=step)
    changed = replace(step, commands=(after,))
    assert as_of(fix, MOVED) == replace(
        fix, commands=(after,), verify=changed, clean_up=changed, undo=changed
    )
    assert as_of(fix, ()) is fix


def test_words_name_it_too() -> None:
    assert (
        named_as_of("web (us-east1-b, n2-standard-8)", MOVED) == "web (us-east1-d, n2-standard-8)"
    )
    text = "Connect to web.us-east1-b.c.p.internal, not to my-web.us-east1-b"
    assert as_of(Fix(text=text), MOVED).text == text.replace("b.c.p", "d.c.p")


def test_the_address_before_a_move_is_not_named_after_it() -> None:
    address = WEB.interfaces[0].internal_ipv4
    name = "web.us-east1-b.c.p.internal"
    said = (
        f"In the configuration of app, connect to {name}, currently {address}, instead of 34.9.9.9."
    )
    fix = Fix(text=f"{said} {PRICE_STAYS}")
    then = "In the configuration of app, connect to web.us-east1-d.c.p.internal, instead of"
    assert as_of(fix, MOVED, Decimal(12)).text == f"{then} 34.9.9.9."
    # Where nothing is saved then, the sentence is true.
    assert as_of(fix, MOVED, Decimal(0)).text == f"{then} 34.9.9.9. {PRICE_STAYS}"
    for verb in ("connect to", "it must use"):
        far = Fix(text=f"{verb} {address} (the name does not resolve), instead of 34.9.9.9.")
        assert as_of(far, MOVED).text == (
            f"{verb} the new internal address of web (before its move {address})"
            " (the name does not resolve), instead of 34.9.9.9."
        )


def test_the_words_of_the_rule_are_those_that_are_changed() -> None:
    said = internal_target(WEB, WEB, WEB.interfaces[0])
    assert said == f"{internal_dns_name(WEB)}, currently {WEB.interfaces[0].internal_ipv4}"
