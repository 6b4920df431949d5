"""What the tools may read: files of the allowed folders, no link out, nothing of a network."""

from pathlib import Path

import pytest

from netplan_planner.cli.mcp.confines import Confines
from netplan_planner.errors import UsageError
from netplan_planner.input_files import Given


@pytest.fixture
def allowed(tmp_path: Path) -> Path:
    folder = tmp_path / "allowed"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "a.json").write_text("{}")
    (tmp_path / "secret.json").write_text("{}")
    return folder


def refused(confines: Confines, path: str | Path) -> str:
    with pytest.raises(UsageError) as told:
        confines.check(Given("--inventory", Path(path), is_walked=True))
    return str(told.value)


def test_what_is_in_an_allowed_folder_is_read(allowed: Path) -> None:
    confines = Confines((allowed,))
    confines.check(Given("--inventory", allowed, is_walked=True))
    confines.check(Given("--inventory", allowed / "inner" / "a.json"))
    confines.check(Given("--inventory", allowed / "inner" / ".." / "inner" / "a.json"))


def test_what_is_outside_is_not_told_from_what_is_not_there(allowed: Path) -> None:
    confines = Confines((allowed,))
    told = [
        refused(confines, path).replace(str(path), "PATH")
        for path in (allowed.parent / "secret.json", allowed.parent / "none.json", "/etc/passwd")
    ]
    assert len(set(told)) == 1
    assert refused(confines, allowed / ".." / "secret.json")
    # A folder whose name begins alike is another one.
    (allowed.parent / "allowed-not").mkdir()
    assert refused(confines, allowed.parent / "allowed-not")
    assert "--allow DIR" in refused(Confines(()), allowed)


def test_a_hidden_folder_is_read_only_where_it_is_allowed_itself(allowed: Path) -> None:
    hidden = allowed / "inner" / ".config"
    hidden.mkdir()
    (hidden / "a.json").write_text("{}")
    for path in (hidden, hidden / "a.json"):
        assert "no such file in the folders" in refused(Confines((allowed,)), path)
        Confines((allowed, hidden)).check(Given("--inventory", path))


def test_a_link_out_is_refused_and_one_inside_is_not(allowed: Path) -> None:
    confines = Confines((allowed,))
    (allowed / "same.json").symlink_to(allowed / "inner" / "a.json")
    confines.check(Given("--inventory", allowed, is_walked=True))
    (allowed / "inner" / "out.json").symlink_to(allowed.parent / "secret.json")
    assert "out.json is a link" in refused(confines, allowed)
    assert refused(confines, allowed / "inner" / "out.json")
    (allowed / "inner" / "out.json").unlink()
    (allowed / "inner" / "up").symlink_to(allowed.parent, target_is_directory=True)
    assert "up is a link" in refused(confines, allowed)
    assert refused(confines, allowed / "inner" / "up" / "secret.json")


@pytest.mark.parametrize(
    "address",
    ["gs://bucket/x", "s3a://bucket/x", "bigquery://p.d", "file:///etc/passwd", "cloud-logging"],
)
def test_addresses_need_the_network_to_be_allowed(allowed: Path, address: str) -> None:
    # The file of such a name is none that anybody means.
    assert "--online" in refused(Confines((allowed,)), address)
    online = Confines((allowed,), is_online=True)
    if address.startswith("file:"):
        assert "give a local path" in refused(online, address)
    else:
        online.check(Given("--traffic", Path(address)))


def test_a_relative_path_is_one_of_an_allowed_folder(allowed: Path) -> None:
    confines = Confines((allowed / "inner", allowed))
    assert confines.placed("a.json") == str(allowed / "inner" / "a.json")
    assert confines.placed("inner") == str(allowed / "inner")
    assert confines.placed("none.json") == "none.json"
    assert confines.placed("gs://bucket/x") == "gs://bucket/x"
    assert refused(confines, "none.json")
    assert refused(confines, "-")
