"""`netplan model evaluate` as a user calls it: the formats, the picture, and what is refused."""

import json
from pathlib import Path

from support.commands.run import run_verbs
from support.paths.tables import PLAIN, written

ROWS = [
    PLAIN | {"value": value, "source": source}
    for value, source in (("6.9", "mine"), ("6.5", "mine"), ("3", "yours"), ("", "yours"))
]


def test_one_run_writes_every_format_and_the_picture(tmp_path: Path) -> None:
    file = written(tmp_path / "mine.csv", *ROWS)
    page, table, picture = (tmp_path / f"out.{end}" for end in ("html", "csv", "svg"))
    files = ("-o", f"html:{page}", "-o", f"csv:{table}", "--plot", str(picture))
    done = run_verbs(arguments=["model", "evaluate", str(file), *files, "-o", "json"])
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["schema"] == "netplan.evaluation/1"
    assert "<title>mine.csv · netplan model evaluate</title>" in page.read_text("utf-8")
    assert table.read_text("utf-8").startswith("grouped_by,group,row_count,")
    assert "<svg" in picture.read_text("utf-8")
