"""A run that is stopped ends quietly and leaves nothing behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from netplan_planner.readers import read_inventory
from support.command import ROOTS
from support.flow_entries import write_entries
from support.one_project import FOLDER

FILES = FOLDER / "gcloud"
COPIES = 300
SECONDS = 60
RUN = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
    " from netplan_planner.cli import main; main()"
)
"""A process that a test starts may have been told to ignore Ctrl-C; a user's has not."""


def many_records(folder: Path) -> None:
    inventory = read_inventory([FILES])
    first, second = (machine.name for machine in inventory.instances[:2])
    traffic = {"minutes": 240, "flows": [{"src": first, "dst": second, "gbps": 1.0}]}
    write_entries(folder / "one.json", inventory, traffic)
    text = (folder / "one.json").read_bytes()
    (folder / "many.json").write_bytes(text * COPIES)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_run_leaves_no_folder(tmp_path: Path, number: signal.Signals) -> None:
    flows, temporary = tmp_path / "flows", tmp_path / "tmp"
    flows.mkdir()
    temporary.mkdir()
    many_records(flows)
    arguments = ["audit", "--inventory", FILES, "--traffic", flows, "--temp-directory", temporary]
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, ROOTS))},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + SECONDS
    while not list(temporary.glob("netplan-*/in/*")) and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(number)
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert "Traceback" not in out + err
    assert list(temporary.iterdir()) == []
