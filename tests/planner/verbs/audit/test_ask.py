"""What an audit is asked: a bundle counts as one wherever it stands among the words."""

from pathlib import Path

import pytest

from netplan_planner.errors import UsageError
from netplan_planner.planning.project import Input
from netplan_planner.verbs.audit.ask import AuditAsk
from support.commands.in_process import netplan


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    file = tmp_path / "gecko.tar.zst"
    assert netplan("collect", "--demo", "gecko", "--out", str(file)).status == 0
    return file


def test_a_bundle_among_the_files_brings_its_prices(bundle: Path) -> None:
    other = bundle.parent / "other.json"
    ask = AuditAsk(files=(other, bundle))
    assert ask.price_folder == bundle
    assert ask.settled.files == (other,)
    assert ask.settled.given.bundle == bundle
    assert AuditAsk(given=Input(bundle=bundle)).price_folder == bundle


def test_two_bundles_are_refused(bundle: Path) -> None:
    second = bundle.parent / "second.tar.zst"
    second.write_bytes(bundle.read_bytes())
    with pytest.raises(UsageError, match="only one bundle can be read"):
        _ = AuditAsk(files=(bundle, second)).price_folder
