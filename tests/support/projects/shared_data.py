"""Material that lies beside the checkout: other people's files, read in place, never committed."""

import os
from pathlib import Path

import pytest

_BESIDE = Path(
    os.environ.get("NETPLAN_TEST_DATA", str(Path(__file__).resolve().parents[4] / "shared"))
)
SHARED: Path | None = _BESIDE if (_BESIDE / "data").is_dir() else None

WHY = "the recorded material is not beside this checkout (NETPLAN_TEST_DATA)"
needs_shared = pytest.mark.skipif(SHARED is None, reason=WHY)


def shared(relative: str) -> Path:
    """Return a file or folder of the material; call it only behind `needs_shared`."""
    assert SHARED is not None
    return SHARED / relative
