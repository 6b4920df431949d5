"""The file of a calibration: read as written, whole or not at all, refused with a place."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from netplan_planner.errors import InputError
from netplan_planner.model import Calibration
from netplan_planner.throughput import load_caps, predict
from netplan_planner.world.calibration import (
    SCHEMA,
    calibration_text,
    read_calibration,
    with_calibration,
    write_calibration,
)
from support.calibrations.made import (
    EMPTY,
    at_wall,
    corrected,
    learnt,
    on_pairs,
    to_aws,
    window_bound,
)
from support.calibrations.paths import CALIBRATIONS
from support.listed import listed
from support.paths.queries import DAY

Json = dict[str, Any]
TOLD = learnt(on_pairs(at_wall(), [0.8] * 3), on_pairs(to_aws(), [0.6, 0.7]))
EXIT_INPUT = 3


def document() -> Json:
    found: Json = json.loads(calibration_text(TOLD))
    return found


def put(path: Path, found: object) -> Path:
    path.write_text(found if isinstance(found, str) else json.dumps(found), encoding="utf-8")
    return path


def refusal(path: Path) -> str:
    """Return why a file is refused; it is named, and nothing steers a terminal."""
    with pytest.raises(InputError) as caught:
        read_calibration(path)
    said = str(caught.value)
    assert caught.value.exit_status == EXIT_INPUT
    assert said.startswith(f"{path}: ")
    assert said.isprintable()
    assert len(said) < 2000
    return said.removeprefix(f"{path}: ")


class TestRoundTrip:
    @pytest.mark.parametrize("made", [EMPTY, TOLD])
    def test_what_is_written_is_read(self, tmp_path: Path, made: Calibration) -> None:
        path = tmp_path / "calibration.json"
        write_calibration(path, made)
        assert read_calibration(path) == made

    @pytest.mark.parametrize("name", CALIBRATIONS)
    def test_so_is_what_many_probes_taught(self, tmp_path: Path, name: str) -> None:
        self.test_what_is_written_is_read(tmp_path, CALIBRATIONS[name])

    def test_its_answers_are_the_same(self, tmp_path: Path) -> None:
        path = tmp_path / "calibration.json"
        write_calibration(path, TOLD)
        caps = with_calibration(load_caps(DAY), path)
        for query in (at_wall(), to_aws(), window_bound()):
            assert predict(query, caps, may_assume=True) == corrected(query, TOLD)

    def test_without_a_file_the_limits_are_the_plain_ones(self) -> None:
        caps = load_caps(DAY)
        assert with_calibration(caps, None) is caps

    def test_the_text_is_one_of_its_kind(self) -> None:
        text = calibration_text(TOLD)
        assert json.loads(text)["schema"] == SCHEMA == "netplan.calibration/1"
        assert next(iter(json.loads(text))) == "schema"
        assert text.endswith("}\n")
        assert text.isascii()

    def test_hostile_names_are_written_inert_and_read_as_they_were(self, tmp_path: Path) -> None:
        key = "internet gcp:\x1b[31m\u202e > \ud800".encode(errors="replace").decode()
        odd = msgspec.structs.replace(
            TOLD, pairs=(msgspec.structs.replace(TOLD.pairs[0], key=key + "\u202e\x9b"),)
        )
        path = tmp_path / "calibration.json"
        write_calibration(path, odd)
        text = path.read_text(encoding="ascii")
        assert not [one for one in text if not one.isprintable() and one != "\n"]
        assert read_calibration(path) == odd


def _set(*steps: str | int, to: object) -> Callable[[Json], None]:
    def change(found: Json) -> None:
        at: Any = found
        for step in steps[:-1]:
            at = at[step]
        at[steps[-1]] = to

    return change


def _drop(name: str) -> Callable[[Json], None]:
    return lambda found: found.pop(name)


def _twice(name: str) -> Callable[[Json], None]:
    def change(found: Json) -> None:
        found[name].append(found[name][0])
        if name == "latents":
            found["covariance"].append([0.0] * len(found[name]))

    return change


FAULTS: dict[str, tuple[Callable[[Json], None], str]] = {
    "another schema": (_set("schema", to="netplan.report/1"), "/schema: netplan.report/1"),
    "a newer schema": (_set("schema", to="netplan.calibration/2"), "Update netplan"),
    "a schema that is no text": (_set("schema", to=[1]), "/schema: "),
    "no schema": (_drop("schema"), "/schema: "),
    "no factor's ratio": (lambda found: found["latents"][0].pop("ratio"), "ratio"),
    "no day": (_drop("as_of"), "as_of"),
    "a day that is none": (_set("as_of", to="2026-02-30"), "as_of"),
    "a text for a number": (_set("latents", 1, "ratio", to="1"), "latents[1]"),
    "null for a number": (_set("latents", 1, "ratio", to=None), "latents[1]"),
    "a number for a text": (_set("pairs", 0, "key", to=5), "pairs[0]"),
    "an object for a list": (_set("classes", to={}), "classes"),
    "a negative ratio": (
        _set("latents", 0, "ratio", to=-0.5),
        "/latents/0/ratio: must be between low_ratio and high_ratio, and above 0, not -0.5",
    ),
    "a ratio of 0": (_set("latents", 0, "low_ratio", to=0), "/latents/0/ratio"),
    "a range that ends below": (_set("latents", 2, "high_ratio", to=1e-3), "/latents/2/ratio"),
    "a range that starts above": (_set("latents", 2, "low_ratio", to=50), "/latents/2/ratio"),
    "a range before that is not around 1": (
        _set("latents", 0, "prior_low_ratio", to=1.5),
        "/latents/0/prior_low_ratio",
    ),
    "a spread of 0": (_set("latents", 0, "prior_sd", to=0), "/latents/0/prior_sd"),
    "a pair's negative ratio": (
        _set("pairs", 1, "ratio", to=-1),
        "/pairs/1/ratio: must be between low_ratio and high_ratio, and above 0, not -1",
    ),
    "a negative count": (_set("classes", 0, "probe_count", to=-1), "/classes/0/probe_count"),
    "no scatter": (_set("classes", 0, "scatter_ratio", to=0), "/classes/0/scatter_ratio"),
    "a factor twice": (_twice("latents"), "/latents: "),
    "a pair twice": (_twice("pairs"), "/pairs: "),
    "a class twice": (_twice("classes"), "/classes: "),
    "a row too few": (lambda found: found["covariance"].pop(), "/covariance: "),
    "a row too many": (lambda found: found["covariance"].append([0.0]), "/covariance: "),
    "a row too short": (_set("covariance", 2, to=[0.0]), "/covariance/2: 1 values"),
    "a row too long": (_set("covariance", 0, to=[0.0, 0.0]), "/covariance/0: 2 values"),
    "a negative variance": (_set("covariance", 0, to=[-1.0]), "/covariance/0"),
    "no covariance": (_drop("covariance"), "/covariance: 0 rows"),
}


class TestRefused:
    @listed(("change", "said"), FAULTS.values(), ids=FAULTS)
    def test_a_fault_is_named_with_its_place(
        self, tmp_path: Path, change: Callable[[Json], None], said: str
    ) -> None:
        found = document()
        change(found)
        assert said in refusal(put(tmp_path / "c.json", found))

    @listed(
        ("place", "words"),
        [
            *(
                (("latents", 0, place), ("NaN", "Infinity", "-Infinity", "1e999", "1" + "0" * 400))
                for place in ("ratio", "high_ratio", "prior_sd", "prior_high_ratio")
            ),
            (("covariance", 1, 0), ("NaN", "1e999", "1" + "0" * 400)),
            (("measurement_count",), ("1.5", "-1", "true")),
            (("probe_count",), ("1.5", "-1", "true")),
        ],
    )
    def test_what_is_no_finite_number_or_no_count_is_refused(
        self, tmp_path: Path, place: tuple[str | int, ...], words: tuple[str, ...]
    ) -> None:
        for word in words:
            found = document()
            _set(*place, to="<here>")(found)
            text = json.dumps(found).replace('"<here>"', word)
            said = refusal(put(tmp_path / "c.json", text))
            assert len(place) > 1 or str(place[0]) in said, (place, word)

    def test_variances_that_belong_to_nothing_are_refused(self, tmp_path: Path) -> None:
        # Two factors cannot vary together by more than each of them does.
        found = document()
        found["covariance"][1] = [50.0, found["covariance"][1][1]]
        assert "/covariance" in refusal(put(tmp_path / "c.json", found))

    @listed(
        ("content", "said"),
        [
            *((text, "") for text in ("", " ", "{", "[1, 2", "not json", '{"schema": "\\ud800"}')),
            *(
                (text, "")
                for text in ("[" * 100_000, '{"a":' * 100_000, "[" * 100_000 + "]" * 100_000)
            ),
            ('{"schema": "netplan.calibration/1",}', ""),
            *((data, "") for data in (b"\xff\xfe\x00", b'{"schema": "\xff"}', b"PAR1\x00\x01")),
            *((text, "not a calibration") for text in ("[]", "5", "null", '"x/1"', "true")),
        ],
        ids=lambda value: str(value)[:20],
    )
    def test_what_is_no_object_in_json_is_refused(
        self, tmp_path: Path, content: str | bytes, said: str
    ) -> None:
        path = tmp_path / "c.json"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        assert said in refusal(path)

    def test_a_deep_value_in_a_known_place_is_refused(self, tmp_path: Path) -> None:
        deep = "[" * 500 + "]" * 500
        text = json.dumps(document() | {"pairs": "<here>"}).replace('"<here>"', deep)
        assert refusal(put(tmp_path / "c.json", text))

    @listed("text", ["\x1b[31mred", "\u202ebackwards", "a\nb", "x" * 100_000])
    def test_hostile_text_is_shown_inert(self, tmp_path: Path, text: str) -> None:
        for change in (
            _set("schema", to=text),
            _set("schema", to=f"netplan.calibration/{text}"),
            _set("as_of", to=text),
        ):
            found = document()
            change(found)
            assert refusal(put(tmp_path / "c.json", found))

    def test_a_hostile_file_name_is_shown_inert(self, tmp_path: Path) -> None:
        path = put(tmp_path / "\x1b[31m\u202ered.json", "{")
        with pytest.raises(InputError) as caught:
            read_calibration(path)
        assert str(caught.value).isprintable()
        assert "\\x1b[31m\\u202ered.json" in str(caught.value)

    def test_what_is_not_there_or_no_file_is_refused(self, tmp_path: Path) -> None:
        assert "No such file" in refusal(tmp_path / "none.json")
        assert "directory" in refusal(tmp_path)
        assert refusal(put(tmp_path / "file", "{}") / "c.json")

    @pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable to root")
    def test_a_file_that_may_not_be_read_is_refused(self, tmp_path: Path) -> None:
        path = put(tmp_path / "c.json", document())
        path.chmod(0)
        assert "denied" in refusal(path)

    @pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no /proc")
    def test_a_file_that_breaks_off_while_read_is_refused(self) -> None:
        assert refusal(Path("/proc/self/mem"))
