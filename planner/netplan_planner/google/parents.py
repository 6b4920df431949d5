"""How organisations and folders are named."""

import re

from netplan_planner.errors import UsageError

_PARENT = re.compile(r"(?:(organizations|folders)/)?([0-9]+)")


def parent_of(collection: str, text: str) -> str:
    """Return the name of an organisation or a folder: `organizations/123`.

    Raises:
        UsageError: If it is not named by its number.
    """
    found = _PARENT.fullmatch(text.strip())
    if found is None or found[1] not in {None, collection}:
        option = collection.removesuffix("s")
        raise UsageError(
            f"--{option} takes a number, as `gcloud organizations list` and `gcloud"
            f" resource-manager folders list` show it, not {text!r}"
        )
    return f"{collection}/{found[2]}"
