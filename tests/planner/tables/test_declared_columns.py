"""The declared columns of a table of paths are those that its documentation names."""

import re
from pathlib import Path

from netplan_planner.readers.paths.path_table import PATH_COLUMNS

DOCUMENT = Path(__file__).parents[3] / "docs/reference/verbs/predict.md"
_UNUSED = {"nic", "n_samples", "network_tier", "tool"}


def test_docs_name_each_column_that_is_read_and_no_other() -> None:
    table = DOCUMENT.read_text(encoding="utf-8").partition("## A table of paths")[2]
    rows = re.findall(r"^\| (`[^|]+`) \|", table.partition("\n## ")[0], re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)} - {"TIER_1"}
    declared = {column.name for column in PATH_COLUMNS}
    assert named == declared - _UNUSED
    assert len(declared) == len(PATH_COLUMNS)
