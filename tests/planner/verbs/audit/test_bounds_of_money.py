"""An hour of traffic: money shows between what a month can be, the same in every form."""

import csv
import json
import re
from io import StringIO

import pytest

from support.commands.run import run_verbs


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return the options that give an inventory and an hour of its traffic."""
    folder = tmp_path_factory.mktemp("hour")
    root = "https://www.googleapis.com/compute/v1/projects/p"
    network = f"{root}/global/networks/default"
    machines = [
        {
            "kind": "compute#instance",
            "name": name,
            "status": "RUNNING",
            "zone": f"{root}/zones/{zone}",
            "selfLink": f"{root}/zones/{zone}/instances/{name}",
            "machineType": f"{root}/zones/{zone}/machineTypes/n2-standard-8",
            "networkInterfaces": [{"name": "nic0", "network": network, "networkIP": address}],
        }
        for name, zone, address in (
            ("app", "us-central1-a", "10.0.0.2"),
            ("db", "us-central1-b", "10.0.0.3"),
        )
    ]
    (folder / "instances.json").write_text(json.dumps(machines), encoding="utf-8")
    rows = [
        f"{one},{other},2000000000,2026-11-01T00:{at:02}:00Z,2026-11-01T00:{at:02}:59Z"
        for at in range(60)
        for one, other in (("10.0.0.2", "10.0.0.3"), ("10.0.0.3", "10.0.0.2"))
    ]
    text = "\n".join(["src,dst,bytes,start,end", *rows])
    (folder / "traffic.csv").write_text(text, encoding="utf-8")
    return [
        f"--inventory={folder / 'instances.json'}",
        f"--traffic={folder / 'traffic.csv'}",
        "--fail-on=never",
    ]


def said(inputs: list[str], *more: str) -> str:
    done = run_verbs(arguments=["audit", *inputs, *more])
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_form_has_the_bounds_of_the_same_money(inputs: list[str]) -> None:
    report = json.loads(said(inputs, "--output=json"))
    first, bill = report["do_first"][0], report["bill"]
    low, high = first["saving_low_usd_per_month"], first["saving_high_usd_per_month"]
    usd = first["saving_usd_per_month"]
    assert (low, high) == pytest.approx((usd / 24, usd))
    own = f"[${low:,.2f} to ${high:,.2f}]"
    paid = f"[${bill['low_usd_per_month']:,.2f} to ${bill['high_usd_per_month']:,.2f}]"
    screen = said(inputs)
    assert f"/month {own}" in screen
    assert re.search(rf"^Paid per month: \S+ {re.escape(paid)}", screen, re.MULTILINE)
    assert re.search(
        rf"^ +saving +\S+/month {re.escape(own)}", said(inputs, "--show=1"), re.MULTILINE
    )
    for form in ("md", "html"):
        text = said(inputs, f"--output={form}").replace("\\", "")
        assert own in text, form
        assert paid in text, form
    full = said(inputs, "--full")
    assert own in full
    assert paid in full
    (sarif,) = json.loads(said(inputs, "--output=sarif"))["runs"]
    assert own in sarif["results"][0]["message"]["text"]
    assert sarif["properties"]["paidLowUsdPerMonth"] == bill["low_usd_per_month"]
    row = next(csv.DictReader(StringIO(said(inputs, "--output=csv"))))
    assert float(row["finding_marginal_low_usd_per_month"]) == pytest.approx(low, abs=1e-5)
    assert bill["low_usd_per_month"] < bill["high_usd_per_month"]


def test_what_no_format_shows_is_refused_before_anything_is_read() -> None:
    done = run_verbs(arguments=["audit", "--inventory=nowhere", "--show=1", "--output=json"])
    assert done.returncode == 2
    assert "--show is for text" in done.stderr
