"""What a bundle of `netplan collect` holds, for verbs that read one."""

from collections.abc import Sequence
from pathlib import Path

from netplan_planner.bundle_file import METRICS, TRAFFIC, is_bundle, manifest_of
from netplan_planner.errors import UsageError
from netplan_planner.inert import inert_line
from netplan_planner.input_files import real_path


def with_bundle_of(
    files: Sequence[Path], bundle: Path | None
) -> tuple[tuple[Path, ...], Path | None]:
    """Return the files that are no bundle, and the bundle: of an option, or among the files.

    Raises:
        UsageError: If there are several bundles.
    """
    bundles = [*([bundle] if bundle else []), *(file for file in files if is_bundle(file))]
    if len({real_path(file) for file in bundles}) > 1:
        shown = ", ".join(inert_line(str(file)) for file in bundles)
        raise UsageError(
            f"one bundle is read whole, not several: {shown}; --inventory reads the inventories"
            " of several"
        )
    others = tuple(file for file in files if file not in bundles)
    return others, next(iter(bundles), None)


def bundled_metrics(bundle: Path | None) -> tuple[Path, ...]:
    """Return a bundle that holds metrics; nothing for one that holds none.

    Raises:
        InputError: If it is no bundle, damaged or of another version.
    """
    return _holding(bundle, METRICS)


def bundled_traffic(bundle: Path | None) -> tuple[Path, ...]:
    """Return a bundle that holds traffic; nothing for one that holds none.

    Raises:
        InputError: If it is no bundle, damaged or of another version.
    """
    return _holding(bundle, TRAFFIC)


def _holding(bundle: Path | None, part: str) -> tuple[Path, ...]:
    if bundle is None or manifest_of(bundle).part(part) is None:
        return ()
    return (bundle,)
