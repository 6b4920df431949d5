import io
import json
import os
import stat
from pathlib import Path

import pytest

from netplan_planner.errors import InputError, UsageError
from netplan_planner.renderers import (
    RENDERERS,
    ColourMode,
    OutputSpec,
    RenderOptions,
    check_outputs,
    parse_output,
    render,
    write_outputs,
)
from netplan_planner.renderers.output import resolved
from netplan_planner.writing import write_each
from support.commands.run import run_anew
from support.reports import made as reports

OPTIONS = RenderOptions(rules=reports.RULES)
REPORT = reports.gecko_report()


class Screen(io.TextIOWrapper):
    """A stream that is a terminal or not, and of any encoding."""

    def __init__(self, *, is_terminal: bool = False, encoding: str = "utf-8") -> None:
        self.raw_bytes = io.BytesIO()
        self._is_terminal = is_terminal
        super().__init__(self.raw_bytes, encoding=encoding, newline="\n")

    def isatty(self) -> bool:
        return self._is_terminal

    def written(self) -> bytes:
        self.flush()
        return self.raw_bytes.getvalue()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("text", OutputSpec(format="text")),
        ("json:-", OutputSpec(format="json")),
        ("sarif:out/x.sarif", OutputSpec(format="sarif", path=Path("out/x.sarif"))),
        ("csv:C:/x.csv", OutputSpec(format="csv", path=Path("C:/x.csv"))),
    ],
)
def test_parse(text: str, expected: OutputSpec) -> None:
    assert parse_output(text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("jsn", f"one of {', '.join(RENDERERS)}; did you mean json?"),
        ("markdown:x", "did you mean md"),
        ("xyzzy", "use one of"),
        ("json:", "a path is missing"),
        ("", "unknown output format ''"),
    ],
)
def test_a_bad_output_is_refused_with_the_list(text: str, said: str) -> None:
    with pytest.raises(UsageError, match="--output") as caught:
        parse_output(text)
    assert said in str(caught.value)


def test_several_at_once(tmp_path: Path) -> None:
    screen = Screen()
    specs = [parse_output(f"{name}:{tmp_path / name}") for name in RENDERERS]
    written = write_outputs(REPORT, [*specs, parse_output("md")], OPTIONS, stdout=screen)
    assert written == tuple(tmp_path / name for name in RENDERERS)
    for name in RENDERERS:
        assert (tmp_path / name).read_bytes() == render(REPORT, name, OPTIONS).encode()
    assert screen.written() == render(REPORT, "md", OPTIONS).encode()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(RENDERERS)


def test_two_on_one_target_and_what_takes_no_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="text and json would both go to standard output"):
        check_outputs([parse_output("text"), parse_output("json")])
    # Two on one file are refused.
    specs = [parse_output(f"json:{tmp_path}/x"), parse_output(f"csv:{tmp_path}/./x")]
    with pytest.raises(UsageError, match="json and csv would both go to"):
        check_outputs(specs)
    # A missing folder and a folder as file are named.
    with pytest.raises(UsageError, match=r"the folder .*nowhere does not exist"):
        check_outputs([parse_output(f"json:{tmp_path}/nowhere/x.json")])
    with pytest.raises(UsageError, match="this is a folder"):
        check_outputs([parse_output(f"json:{tmp_path}")])
    # A name that no file can have is an error of usage.
    with pytest.raises(UsageError, match="not usable: File name too long"):
        check_outputs([OutputSpec(format="csv", path=tmp_path / ("x" * 300))])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_failing_target_takes_nothing_from_the_others(tmp_path: Path) -> None:
    good = tmp_path / "good.json"
    good.write_text("before")
    screen = Screen()
    specs = [parse_output(text) for text in ("csv:/dev/full", f"json:{good}", "text")]
    with pytest.raises(InputError, match=r"^/dev/full: cannot be written: No space left"):
        write_outputs(REPORT, specs, OPTIONS, stdout=screen)
    assert json.loads(good.read_text())["title"] == "gecko-demo"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["good.json"]
    assert screen.written().startswith(b"gecko-demo")


def test_all_that_failed_is_named() -> None:
    done: list[str] = []

    def fails(text: str) -> None:
        raise InputError(text)

    with pytest.raises(InputError, match=r"^a: full; b: gone$"):
        write_each(
            [
                lambda: fails("a: full"),
                lambda: done.append("c"),
                lambda: fails("b: gone"),
                lambda: done.append("d"),
            ]
        )
    assert done == ["c", "d"]


def test_a_folder_that_takes_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Root may write anywhere: the system's answer is what counts here.
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)
    with pytest.raises(UsageError, match=r"json:.*the folder .* is not writable"):
        check_outputs([parse_output(f"json:{tmp_path}/x.json")])


def test_a_report_that_cannot_be_rendered_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="use one of"):
        write_outputs(
            REPORT,
            [parse_output(f"json:{tmp_path}/x.json"), OutputSpec(format="pdf")],
            OPTIONS,
            stdout=Screen(),
        )
    assert not list(tmp_path.iterdir())


def test_a_link_is_followed_and_rights_are_the_usual_ones(tmp_path: Path) -> None:
    target = tmp_path / "real.json"
    target.write_text("before")
    (tmp_path / "link.json").symlink_to(target)
    write_outputs(REPORT, [parse_output(f"json:{tmp_path}/link.json")], OPTIONS, stdout=Screen())
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads(target.read_text())["title"] == "gecko-demo"
    beside = tmp_path / "beside"
    beside.touch()
    assert stat.S_IMODE(target.stat().st_mode) == stat.S_IMODE(beside.stat().st_mode)


def test_a_device_is_written_to_and_not_replaced() -> None:
    write_outputs(REPORT, [parse_output(f"json:{os.devnull}")], OPTIONS, stdout=Screen())
    assert not Path(os.devnull).is_file()


def test_width_and_colour_follow_the_terminal() -> None:
    on, off = Screen(is_terminal=True), Screen()
    assert resolved(OPTIONS, off, {}).colour is ColourMode.NEVER
    assert resolved(OPTIONS, off, {}).width == 100
    assert resolved(OPTIONS, on, {}).colour is ColourMode.ALWAYS
    assert resolved(OPTIONS, on, {"NO_COLOR": "1"}).colour is ColourMode.NEVER
    assert resolved(OPTIONS, on, {"NO_COLOR": ""}).colour is ColourMode.ALWAYS
    assert resolved(OPTIONS, on, {"TERM": "dumb"}).colour is ColourMode.NEVER
    always = RenderOptions(colour=ColourMode.ALWAYS, width=60)
    assert resolved(always, off, {"NO_COLOR": "1"}) == always


def test_a_file_has_no_colour_unless_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    screen = Screen(is_terminal=True)
    specs = [parse_output(f"text:{path}"), parse_output("text")]
    write_outputs(REPORT, specs, OPTIONS, stdout=screen, environment={})
    assert b"\x1b[" in screen.written()
    assert b"\x1b" not in path.read_bytes()
    always = RenderOptions(colour=ColourMode.ALWAYS)
    write_outputs(REPORT, specs[:1], always, stdout=Screen(), environment={})
    assert b"\x1b[" in path.read_bytes()


def test_data_is_utf8_and_a_terminal_without_the_letters_gets_others() -> None:
    screen = Screen(encoding="ascii")
    write_outputs(REPORT, [parse_output("text")], OPTIONS, stdout=screen)
    text = screen.written().decode("ascii")
    assert "1.6 -> 16 Gbit/s" in text
    assert "---" in text
    # Data is utf8 whatever the terminal.
    screen = Screen(encoding="ascii")
    write_outputs(REPORT, [parse_output("csv")], OPTIONS, stdout=screen)
    assert screen.written() == render(REPORT, "csv", OPTIONS).encode()
    plain = io.StringIO()
    write_outputs(REPORT, [parse_output("json")], OPTIONS, stdout=plain)
    assert json.loads(plain.getvalue())


def test_the_registry_loads_nothing_heavy() -> None:
    code = (
        "import sys, netplan_planner.renderers as r;"
        " print('rich' in sys.modules, 'jinja2' in sys.modules, len(r.RENDERERS))"
    )
    done = run_anew("-c", code)
    assert done.stdout.split() == ["False", "False", str(len(RENDERERS))]


@pytest.mark.parametrize("name", [name for name in RENDERERS if name != "html"])
def test_templates_are_loaded_for_html_alone(name: str) -> None:
    code = (
        "import sys; from importlib import import_module; from netplan_planner.renderers import"
        f" RENDERERS; import_module(RENDERERS[{name!r}]); print('jinja2' in sys.modules)"
    )
    done = run_anew("-c", code)
    assert done.stdout.split() == ["False"]
