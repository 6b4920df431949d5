"""The `price` verb as a user runs it: a process, its outputs and its exit status."""

from pathlib import Path
from subprocess import CompletedProcess

from netplan_pricing.container import FILE_NAME
from support.commands.run import run_anew, run_verbs
from support.prices.inputs import built


def run(*arguments: str) -> CompletedProcess[str]:
    return run_verbs(arguments=["price", *arguments], COLUMNS="200")


def test_another_snapshot_can_be_asked(tmp_path: Path) -> None:
    content = built(tmp_path / "inputs").content
    (tmp_path / FILE_NAME).write_bytes(content)
    arguments = ("machine", "n2-standard-4", "--region", "aa-one1", "--prices", str(tmp_path))
    assert "0.4 " in run(*arguments).stdout
    (tmp_path / FILE_NAME).write_bytes(content[:-1])
    cut = run(*arguments)
    assert (cut.returncode, cut.stdout) == (3, "")
    assert "cut or altered" in cut.stderr


def test_too_little_memory_is_one_line() -> None:
    limited = (
        "import sys, netplan_planner.cli.app\n"
        "frame = sys.modules['netplan_planner.cli.app']\n"
        "def fail(*_, **__): raise MemoryError\n"
        "frame.app = fail\n"
        "frame.run()"
    )
    ran = run_anew("-c", limited)
    assert (ran.returncode, ran.stdout) == (3, "")
    assert ran.stderr == "netplan: not enough memory for this; nothing was changed\n"
