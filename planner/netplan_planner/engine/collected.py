"""What a bundle of `netplan collect` holds, for verbs that read one."""

from pathlib import Path

from netplan_planner.bundle_file import TRAFFIC, manifest_of


def bundled_traffic(bundle: Path | None) -> tuple[Path, ...]:
    """Return a bundle that holds traffic; nothing for one that holds none.

    Raises:
        InputError: If it is no bundle, damaged or of another version.
    """
    if bundle is None or manifest_of(bundle).part(TRAFFIC) is None:
        return ()
    return (bundle,)
