"""The one option of the test suite: golden files are rewritten only when asked for."""

import gc
import os
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

from support.commands.made_command import command_once
from support.demos_once import demos_once
from support.made_once import FOLDER

GOLDEN = Path(__file__).parent / "golden"

# A worker of pytest-xdist has 80 columns; texts are compared as where there is no terminal.
os.environ.pop("COLUMNS", None)
# Prices that somebody refreshed on this machine answer no test.
os.environ["XDG_DATA_HOME"] = os.devnull

# How long an example takes is a matter of what else the machine does. The long profile is that of
# `make nightly` (--hypothesis-profile=long).
settings.register_profile("quick", deadline=None, max_examples=10)
settings.register_profile("long", deadline=None, max_examples=400)
settings.load_profile("quick")

_GZIP = b"\x1f\x8b"


class _Doctests:
    """Looks for doctests only in files that have one: else every module is imported for them."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(
        self, file_path: Path
    ) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        found = yield
        if file_path.suffix != ".py" or b">>>" in file_path.read_bytes():
            return found
        return [one for one in found if not isinstance(one, DoctestModule)]


def pytest_configure(config: pytest.Config) -> None:
    """Give all workers of a run one folder for what costs much to work out."""
    config.pluginmanager.register(_Doctests())
    if FOLDER in os.environ:
        return
    folder = tempfile.TemporaryDirectory(prefix="tests-")
    os.environ[FOLDER] = folder.name
    config.add_cleanup(folder.cleanup)
    config.add_cleanup(lambda: os.environ.__delitem__(FOLDER))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for garbage only when all is loaded, and never through what was loaded by then."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.set_threshold(*COLLECTED)


COLLECTED = (10_000, 20, 20)
"""As rarely as that: the default walks over all that lives for each percent that comes to it."""


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Let what was loaded go at the end as usual: what stays frozen is told as leaked."""
    gc.unfreeze()


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Name a gzip case without the time that stands in it: every worker names its tests itself."""
    if isinstance(val, bytes) and val.startswith(_GZIP):
        return (val[:4] + bytes(4) + val[8:]).decode("ascii", "backslashreplace")
    return None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return three workers for two processors for `-n auto`: a third of their time is waiting."""
    return max(3 * (os.cpu_count() or 1) // 2, 2)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write tests/golden again")


@pytest.fixture(scope="session", autouse=True)
def _made_once() -> Iterator[None]:
    """Of what every test would make again alike."""
    with command_once(), demos_once():
        yield


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a text with a file of tests/golden, byte for byte, or rewrites the file."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        assert path.read_bytes().decode() == text, f"{name} differs; see pytest --update-golden"

    return check
