"""Modules that wait run their code once, for whoever asks first, and are named in one place."""

import subprocess
import sys
import threading
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType

import pytest

import netplan_planner
import netplan_pricing
from netplan_planner.later import LATER, _Finder, _Loader


def waiting(path: Path) -> ModuleType:
    spec = ModuleSpec("waits", _Loader(SourceFileLoader("waits", str(path))), origin=str(path))  # type: ignore[arg-type]
    return module_from_spec(spec)


@pytest.mark.parametrize("name", LATER)
def test_each_is_a_module_of_ours(name: str) -> None:
    root = {"netplan_planner": netplan_planner, "netplan_pricing": netplan_pricing}[
        name.partition(".")[0]
    ]
    folder = Path(root.__path__[0])
    assert folder.joinpath(*name.split(".")[1:]).with_suffix(".py").is_file()


def test_others_do_not_wait() -> None:
    assert _Finder.find_spec("json", None) is None


def test_the_code_runs_when_a_name_is_asked_for(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    code = tmp_path / "waits.py"
    code.write_text(f"with open({str(seen)!r}, 'a') as it:\n    it.write('x')\nvalue = 1\n")
    module = waiting(code)
    assert module.__name__ == "waits"
    assert not seen.exists()
    assert (module.value, module.value) == (1, 1)
    assert seen.read_text() == "x"
    assert type(module) is ModuleType


def test_threads_that_ask_at_once_wait_for_all_of_it(tmp_path: Path) -> None:
    code = tmp_path / "waits.py"
    code.write_text("import time\nfirst = 1\ntime.sleep(0.2)\nlast = 2\n")
    module = waiting(code)
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(module.last)) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == [2] * 4


def test_what_fails_is_tried_again(tmp_path: Path) -> None:
    code = tmp_path / "waits.py"
    code.write_text("import not_installed_anywhere\n")
    module = waiting(code)
    for _ in range(2):
        with pytest.raises(ImportError, match="not_installed_anywhere"):
            _ = module.value


def test_the_help_page_runs_none_of_them() -> None:
    asked = (
        "import sys, netplan_planner.cli.app; from netplan_planner.later import LATER;"
        " print([one for one in LATER if one in sys.modules"
        " and type(sys.modules[one]).__name__ != '_Waiting'])"
    )
    told = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=True
    ).stdout
    assert told == "[]\n"
