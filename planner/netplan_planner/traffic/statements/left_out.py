"""What was left out of the staged records, and where it stands."""

from collections.abc import Iterable

from netplan_planner.traffic.statements.staging import DROPPED, UNMET

BY_FILE = f"""
SELECT fault, note AS source_name, COUNT(*) AS records
FROM staged WHERE fault > {DROPPED} AND fault < {UNMET} GROUP BY fault, note
"""

COUNTS = """
SELECT f.fault, f.source_name, SUM(f.records) AS records
FROM fault AS f GROUP BY f.fault, f.source_name
"""

SUMS = f"""
SELECT fault, COUNT(*) AS records FROM staged WHERE fault > {DROPPED} GROUP BY fault
"""
"""How many records are left out by fault, wherever they stand."""


def first(count: int, unremarkable: Iterable[int]) -> str:
    """Return the first left-out records in the order of their notes, but for some faults."""
    others = ", ".join(map(str, sorted(unremarkable)))
    return f"""
SELECT f.fault AS fault, f.note AS note
FROM (
  SELECT fault, note, ROW_NUMBER() OVER (ORDER BY COALESCE(note, ''), fault) AS position
  FROM staged WHERE fault > {DROPPED} AND fault NOT IN ({others})
) AS f
WHERE f.position <= {count}
ORDER BY COALESCE(f.note, ''), f.fault
"""


FAULTY = f"""
SELECT fault, note FROM staged WHERE fault > {DROPPED} AND fault < {UNMET}
ORDER BY COALESCE(TRY_CAST(note AS BIGINT), 0), fault
"""
"""Left-out records of a numbered piece of a file, in order."""
