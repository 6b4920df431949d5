"""How many of our modules one record passes on its way from the file to dollars.

    python benchmarks/trace_modules.py [--rooms] [--list] [audit] [recommend] [predict]

    audit      `netplan audit` of two machines and one flow-log record, by the rule that prices it:
               a new rule makes no other one's way longer
    recommend  `netplan recommend` of one bandwidth
    predict    `netplan predict --batch` of a table of one row

A module counts when one of its functions runs. What runs while a module is imported does not:
tables and registries are made then, whether a record comes or not. A module that offers only values
or types so counts for nothing. The command line and the rendering belong to the way. Threads are
traced as well. Each command is a process of its own, so that no cache is warm.
"""

import argparse
import inspect
import json
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

PACKAGES = ("netplan_planner", "netplan_rules", "netplan_pricing")
_COMPUTE = "https://www.googleapis.com/compute/v1/projects/p"
_TRACED = "modules.json"
_MACHINE_TYPE = "n2-standard-4"
_RULE = "external-ip-intra-zone"
_ZONE = "us-central1-a"
_SUBNETWORK = f"{_COMPUTE}/regions/us-central1/subnetworks/s"


class Trace:
    """The modules whose functions ran, by thread outside of imports."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self._importing: Counter[int] = Counter()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Take note of an event, as `sys.setprofile` reports it."""
        if event not in ("call", "return"):
            return
        code, thread = frame.f_code, threading.get_ident()
        if code.co_name == "<module>":
            self._importing[thread] += 1 if event == "call" else -1
        elif event == "call" and not self._importing[thread] and _is_function(code):
            name = frame.f_globals.get("__name__") or ""
            if name.partition(".")[0] in PACKAGES:
                self.modules.add(name)


def _is_function(code: CodeType) -> bool:
    """Return whether code is a function's; the body of a class is not."""
    return bool(code.co_flags & inspect.CO_NEWLOCALS and code.co_flags & inspect.CO_OPTIMIZED)


def write_inputs(folder: Path) -> None:
    """Write two machines of one zone, a record of what one sends to the other, and one path."""
    machines = [
        {
            "kind": "compute#instance",
            "name": name,
            "zone": f"{_COMPUTE}/zones/{_ZONE}",
            "machineType": f"{_COMPUTE}/zones/{_ZONE}/machineTypes/{_MACHINE_TYPE}",
            "status": "RUNNING",
            "selfLink": f"{_COMPUTE}/zones/{_ZONE}/instances/{name}",
            "networkInterfaces": [
                {
                    "name": "nic0",
                    "network": f"{_COMPUTE}/global/networks/n",
                    "subnetwork": _SUBNETWORK,
                    "networkIP": f"10.0.0.{number}",
                    "nicType": "GVNIC",
                    "accessConfigs": [{"natIP": f"34.0.0.{number}", "networkTier": "PREMIUM"}],
                }
            ],
        }
        for number, name in enumerate(("sender", "receiver"), 2)
    ]
    # Over the receiver's external address inside one zone: that is billed.
    record = {
        "insertId": "1",
        "logName": "projects/p/logs/compute.googleapis.com%2Fvpc_flows",
        "timestamp": "2026-05-01T10:01:05Z",
        "resource": {"labels": {"project_id": "p", "location": _ZONE, "subnetwork_name": "s"}},
        "jsonPayload": {
            "connection": {
                "src_ip": "10.0.0.2",
                "dest_ip": "34.0.0.3",
                "src_port": 40000,
                "dest_port": 443,
                "protocol": 6,
            },
            "reporter": "SRC",
            "bytes_sent": "60000000000",
            "packets_sent": "45000000",
            "start_time": "2026-05-01T10:00:00Z",
            "end_time": "2026-05-01T10:00:59Z",
            "src_instance": {"project_id": "p", "vm_name": "sender", "zone": _ZONE},
        },
    }
    (folder / "instances.json").write_text(json.dumps(machines), encoding="utf-8")
    (folder / "flows.json").write_text(json.dumps(record) + "\n", encoding="utf-8")
    (folder / "paths.csv").write_text(
        "machine_type,path_class,src_location,dst_location,streams,rtt_ms\n"
        f"{_MACHINE_TYPE},inter-region-internal,{_ZONE},europe-west1-b,8,104\n",
        encoding="utf-8",
    )


def arguments_of(command: str, folder: Path) -> Sequence[str]:
    """Return the command line of a command on the inputs of a folder."""
    lines: Mapping[str, Sequence[str]] = {
        "audit": (
            f"--inventory={folder / 'instances.json'}",
            f"--traffic={folder / 'flows.json'}",
            f"--select={_RULE}",
            "--fail-on=never",
        ),
        "recommend": ("--gbps=10", "--region=us-central1"),
        "predict": (f"--batch={folder / 'paths.csv'}",),
    }
    return (command, *lines[command])


COMMANDS = ("audit", "recommend", "predict")


def trace_here(command: str, folder: Path) -> None:
    """Run a command in this process; write the modules that it passed into the folder."""
    from netplan_planner.cli import main as netplan

    sys.argv = ["netplan", *arguments_of(command, folder)]
    trace = Trace()
    # `sys.setprofile` is of this thread alone; the other one is for threads that begin later.
    threading.setprofile(trace)
    sys.setprofile(trace)
    try:
        netplan()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        (folder / _TRACED).write_text(json.dumps(sorted(trace.modules)), encoding="utf-8")


def modules_of(command: str, folder: Path) -> list[str]:
    """Return the modules that a command passes, run in a process of its own.

    Raises:
        SystemExit: If the command fails, or has no answer.
    """
    done = subprocess.run(
        [sys.executable, __file__, "--traced", str(folder), command],
        stdout=subprocess.PIPE,
        check=False,
        cwd=folder,
    )
    if done.returncode or not done.stdout.strip():
        raise SystemExit(f"{command} failed")
    return list(json.loads((folder / _TRACED).read_text(encoding="utf-8")))


def room(module: str) -> str:
    """Return the room of a module: its package below the top one, else the top one itself.

    >>> room("netplan_planner.throughput.limits.caps"), room("netplan_rules.base")
    ('netplan_planner.throughput', 'netplan_rules')
    """
    top, *inner = module.split(".")
    return f"{top}.{inner[0]}" if top == PACKAGES[0] and len(inner) > 1 else top


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commands", nargs="*", metavar="command", help=", ".join(COMMANDS))
    parser.add_argument("--list", action="store_true", help="name the modules")
    parser.add_argument("--rooms", action="store_true", help="count them by package")
    parser.add_argument("--traced", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    commands = asked.commands or COMMANDS
    if unknown := set(commands) - set(COMMANDS):
        parser.error(f"no such command: {', '.join(sorted(unknown))}")
    if asked.traced:
        trace_here(commands[0], asked.traced)
        return
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        write_inputs(folder)
        for command in commands:
            modules = modules_of(command, folder)
            print(f"{command:<10} {len(modules):>4}")
            if asked.rooms:
                for name, count in Counter(map(room, modules)).items():
                    print(f"  {count:>4} {name}")
            if asked.list:
                print(*(f"       {module}" for module in modules), sep="\n")


if __name__ == "__main__":
    main()
