"""Aggregates: the sums of flow logs as a folder of Parquet files, read again wherever they are.

    netplan-aggregates.json   the manifest: format, options, inventory, tables with sizes and
                              hashes, and what the matrix says besides its rows
    owners.parquet …          a table for each kind of row (`tables.py`)

What an aggregate is, and why it rests on an inventory: docs/adr/0030-aggregates.md.
"""

import os
from pathlib import Path

MANIFEST = "netplan-aggregates.json"


def is_aggregates(path: Path) -> bool:
    """Return whether a folder says of itself that it holds aggregates."""
    try:
        return path.is_dir() and os.path.lexists(path / MANIFEST)
    except OSError:
        return False
