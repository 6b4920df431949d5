"""The verbs that ask an API, and what each is asked beside the project."""

from pathlib import Path
from typing import Any

from support.commands.lines import FILE, OUT, VERBS
from support.commands.tree import ROOT

TO_PROJECTS: dict[str, str] = {
    "recommend": "--vm a",
    "predict": "a b",
    "whatif": "--growth 2",
    "baseline": "--out OUT/b.json",
    "collect": "--out OUT/b.tar.zst",
    "flows aggregate": "--traffic FILE --out OUT/sums",
    "graph": "--traffic FILE",
    "flow-logs cost": "--traffic FILE",
    "flow-logs plan": "--traffic FILE",
    "prices refresh": "--out OUT",
    "forecast": "--traffic FILE",
    "place": "--traffic FILE",
}


def _leaf(verb: str) -> Any:
    found = ROOT
    for word in verb.split():
        found = found.commands[word]
    return found


def verbs_with(*options: str) -> list[str]:
    """Return the verbs that have all of these options."""
    return [
        verb
        for verb in VERBS
        if {*options} <= {opt for one in _leaf(verb).params for opt in one.opts}
    ]


ASKING = verbs_with("--project", "--api-endpoint")


def asked_of_a_project(verb: str, folder: Path, project: str = "one-project") -> list[str]:
    """Return the words by which a verb reads a project; its own files are in the folder."""
    flows = folder / "flows.json"
    flows.write_text("")
    more = TO_PROJECTS.get(verb, "").replace(OUT, str(folder)).replace(FILE, str(flows))
    return [*verb.split(), *more.split(), "--project", project]
