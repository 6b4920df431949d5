"""Modules whose code runs when something of them is asked for, not where an import names them.

What they import costs a good part of a short command, or may not be installed. Whoever needs one
imports it as a module at the top of a file, where readers, `lint-imports` and type checkers see it;
`LATER` alone says which of them wait, and for what. See docs/adr/0015-imports.md.
"""

import sys
import threading
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

LATER = {
    "netplan_planner.bundle_file.archive": "zstandard and tarfile, 70 ms: bundles",
    "netplan_planner.cli.completion": "rules, prices and caps, 250 ms: a shell that asks",
    "netplan_planner.cli.progress_line": "rich, 40 ms: work that lasts above half a second",
    "netplan_planner.cli.mcp.server": "the protocol's SDK, an extra, 1 s: netplan mcp",
    "netplan_planner.google.bigquery.read": "sqlglot, an extra: flow logs in BigQuery",
    "netplan_planner.google.clients.catalog": "Google's client, an extra, 3 s: --api-client google",
    "netplan_planner.google.clients.compute": "the same",
    "netplan_planner.google.credentials": "google-auth, 60 ms: requests that are signed",
    "netplan_planner.google.session": "requests, 30 ms: whoever asks the network",
    "netplan_planner.planning.reconciling": "DuckDB, 60 ms: audits with a billing export",
    "netplan_planner.planning.run_file": "the same: audits with --record",
    "netplan_planner.readers.asset_table": "DuckDB, 60 ms: tables of assets",
    "netplan_planner.readers.terraform.code": "python-hcl2, 100 ms: SARIF of a Terraform plan",
    "netplan_planner.tables.engine": "the same: tables of users",
    "netplan_planner.traffic.aggregates.reading": "the same: aggregates",
    "netplan_planner.traffic.pod_flows.pods": "the same: traffic of pods",
    "netplan_planner.traffic.read": "the same: flow logs",
    "netplan_planner.traffic.spark.read": "Spark's client, an extra, with pandas: a Spark server",
    "netplan_planner.verbs.model.scatter": "matplotlib, an extra: --scatter",
    "netplan_planner.verbs.price.batch": "DuckDB and NumPy, 110 ms: tables of machine types",
    "netplan_planner.version": "importlib.metadata, 20 ms: --version, and who says it of itself",
    "netplan_planner.world.settings": "all rules: files that have settings of rules",
    "netplan_pricing.contract.effective": "DuckDB, 60 ms: prices of a billing export",
    "netplan_pricing.contract.flexible": "the same",
}
"""What each waits for: what it imports, what that costs, and who asks."""
_OF_IMPORTS = {
    *("__cached__", "__class__", "__file__", "__loader__"),
    *("__name__", "__package__", "__path__", "__spec__"),
}
"""What the import system asks of a module without anybody needing it."""


class _Waiting(ModuleType):
    """A module whose code has not run; the first that asks for a name of it runs it."""

    def __getattribute__(self, name: str) -> Any:
        of_module = super().__getattribute__
        if name not in _OF_IMPORTS:
            spec = of_module("__spec__")
            # Another thread waits here until all of the module is there.
            with spec.loader_state:
                if isinstance(spec.loader, _Loader):
                    spec.loader.run(self, spec)
        return of_module(name)


class _Loader:
    """Stands in the place of a module's loader until its code runs."""

    def __init__(self, own: Any) -> None:
        self.own = own

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module, without anything in it."""
        spec.loader_state = threading.RLock()
        return _Waiting(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Run nothing yet."""

    def run(self, module: ModuleType, spec: ModuleSpec) -> None:
        """Run the code of a module; one that fails is tried again when it is asked next."""
        spec.loader = self.own
        try:
            self.own.exec_module(module)
        except BaseException:
            spec.loader = self  # type: ignore[assignment]  # by its methods
            raise
        module.__loader__ = self.own
        module.__class__ = ModuleType


class _Finder:
    """Finds the modules of `LATER`, before Python's own finders do."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        """Return what a module is loaded from; None: it does not wait."""
        found = PathFinder.find_spec(name, path, target) if name in LATER else None
        if found is not None:
            found.loader = _Loader(found.loader)  # type: ignore[assignment]  # by its methods
        return found


def install() -> None:
    """Let the modules of `LATER` wait from now on."""
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)
