"""Files that are read whole: a bound, and one wording for what cannot be read."""

from pathlib import Path

import pytest

from netplan_planner.errors import UsageError
from netplan_planner.input_files import WHOLE_BYTES, toml_file, whole
from netplan_planner.readers import read_inventory
from support.commands.in_process import netplan
from support.projects.one_project import FOLDER

ENDLESS = Path("/dev/zero")


def test_a_file_up_to_the_bound_is_read(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"123")
    assert whole(file, 3) == b"123"
    with pytest.raises(OSError, match="more than 0 MiB"):
        whole(file, 2)


@pytest.mark.parametrize("part", ["a", '"a.b"', "'a'"])
def test_a_key_of_very_many_parts_is_refused_before_it_is_read(tmp_path: Path, part: str) -> None:
    """The parser takes the square of their number: 400,000 parts are 0.8 MB and take an hour."""
    file = tmp_path / "netplan.toml"
    file.write_text(f"{part}{f' . {part}' * 400_000} = 1\n", encoding="utf-8")
    with pytest.raises(UsageError, match="a key has more than 100 parts"):
        toml_file(file)
    file.write_text(f"{part}{f' . {part}' * 50} = '{'a.' * 99}'\n", encoding="utf-8")
    assert list(toml_file(file)) == [part.strip("\"'")]


@pytest.mark.parametrize("text", ["x" * 3_000_000, "x" + " " * 3_000_000, '"x' * 1_000_000])
def test_a_settings_file_of_one_long_word_is_refused(tmp_path: Path, text: str) -> None:
    """Where each letter of the word were looked at from each other, that would take minutes."""
    file = tmp_path / "netplan.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match="not valid TOML"):
        toml_file(file)


def test_a_large_file_is_refused_by_its_size_alone(tmp_path: Path) -> None:
    file = tmp_path / "a"
    with file.open("wb") as out:
        out.truncate(2**33)
    with pytest.raises(OSError, match=f"more than {WHOLE_BYTES >> 20} MiB"):
        whole(file)


def test_the_table_of_a_configuration_is_read_within_it(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text("a = 1\n", encoding="utf-8")
    assert toml_file(file) == {"a": 1}
    with pytest.raises(UsageError, match=r"none\.toml: cannot be read: No such file or directory"):
        toml_file(tmp_path / "none.toml")


@pytest.mark.skipif(not ENDLESS.exists(), reason="this system has no /dev/zero")
def test_a_device_that_never_ends_is_refused_whatever_a_file_may_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("netplan_planner.input_files.WHOLE_BYTES", 2**20)
    with pytest.raises(OSError, match="more than 1 MiB"):
        whole(ENDLESS, 2**40)
    done = netplan("--config", str(ENDLESS), "caps", "n2-standard-4")
    assert done.status == 2


@pytest.mark.parametrize("option", ["--inventory", "--metrics", "--traffic", "--bundle"])
def test_a_link_that_leads_to_itself_is_said(tmp_path: Path, option: str) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    inventory = ("--inventory", str(FOLDER / "gcloud")) if option != "--inventory" else ()
    done = netplan("audit", *inventory, option, str(loop))
    assert done.status == 3
    assert "Too many levels of symbolic links" in done.err or "not found" in done.err


def test_a_link_that_leads_to_itself_spoils_no_folder(tmp_path: Path) -> None:
    (tmp_path / "loop.json").symlink_to(tmp_path / "loop.json")
    machines = FOLDER / "gcloud" / "instances.json"
    (tmp_path / "instances.json").write_bytes(machines.read_bytes())
    found = read_inventory([tmp_path])
    assert found.instances
    assert [one.source for one in found.unread if "loop.json" in one.source]
