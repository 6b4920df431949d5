"""What one day of logs adds up to, so that the day need not be read again; `rolled` reads it.

A day is that of the entries' own time, in which they are partitioned. Its rows depend on no
inventory, no window and no reporter: ends are as the records state them, by a number of the day;
all sums stand by the minute in which a flow began, so that a later window, a change of an address's
holder and a choice between configurations find what they part. They are of several kinds:

- `SUM`: judged records by report, configuration, fault and minute of the beginning, with what a
  record adds in all; those with a fault of their own have no report.
- `SHARE`: wire bytes in each later minute that records reach into; what is left is of the first.
- `FLOW`: wire bytes of fast five-tuples by minute. `ROUND_TRIP`: by step of the scale.
- `END`: identities by number, and the greatest details by part of the day and day of the beginning.
- `NAME`: configurations by name. `EXAMPLE`: the first faulty records. `STATE`: what was read.

Equal entries have one time, so they are of one day: which of them counts is decided in it.
"""

from collections.abc import Iterable, Mapping

from netplan_planner.traffic.engine import DAY_SUM
from netplan_planner.traffic.statements.keys import (
    DURATION_MS,
    MINUTES_PER_DAY,
    OFFSET_MS,
    SPAN,
    US_PER_MINUTE,
    rtt_step,
    share_until,
)
from netplan_planner.traffic.statements.staging import DROPPED, OK, REPEATED

SUM, SHARE, FLOW, ROUND_TRIP, END, NAME, EXAMPLE, STATE = range(8)

FIRST_PART, MIDDLE, LAST_PART, WHOLE = 0, 1, 2, 3
"""Parts of a day by the entries' time: what a window that begins or ends with the day before or
after still looks at, and the rest; an entry of a table that is read whole is in none of them."""

_OF_REPORT = ("day_part", "report", "configuration", "start_minute")
IS_JUDGED = f"(f.fault <= {DROPPED} OR f.fault = {REPEATED})"
SAME = (
    "i.address = e.address AND i.project IS NOT DISTINCT FROM e.project"
    " AND i.name IS NOT DISTINCT FROM e.name"
)


def _row(kind: int, values: Mapping[str, str]) -> str:
    """Return the columns of a row of a kind, in order."""
    given = {"kind": str(kind), **values}
    unknown = given.keys() - DAY_SUM.keys()
    assert not unknown, unknown
    return ", ".join(
        f"CAST({given.get(name, 'NULL')} AS {'VARCHAR' if of == 'VARCHAR' else 'BIGINT'}) AS {name}"
        for name, of in DAY_SUM.items()
    )


def _or_null(value: str, usual: int) -> str:
    """Return the SQL of a value, NULL for the usual one: NULL takes no room."""
    return f"CASE WHEN {value} <> {usual} THEN {value} END"


def _of_report() -> dict[str, str]:
    return {
        "day_part": _or_null("f.day_part", MIDDLE),
        "report": "f.report",
        "configuration": _or_null("f.configuration", 0),
        "start_minute": "f.start_minute",
    }


_BY_REPORT = ", ".join(f"f.{name}" for name in _OF_REPORT)

DAY_RECORDS = f"""
SELECT {
    _row(
        SUM,
        {
            **_of_report(),
            "fault": _or_null("f.fault", 0),
            "drop_reason": _or_null("f.drop_reason", 0),
            "records": "COUNT(*)",
            "payload_bytes": "SUM(f.payload_bytes)",
            "packet_count": "SUM(f.packet_count)",
            "wire_bytes": "SUM(f.wire_bytes)",
            "coarse_bytes": _or_null("SUM(f.coarse_bytes)", 0),
            "unpacked_records": _or_null("SUM(f.is_unpacked)", 0),
            "reach": _or_null("MAX(f.reach)", 0),
        },
    )
}
FROM (
  SELECT f.day_part, f.configuration, f.fault, f.start_minute,
    CASE WHEN {IS_JUDGED} THEN f.report END AS report,
    CASE WHEN f.fault = {DROPPED} THEN f.drop_reason ELSE 0 END AS drop_reason,
    CASE WHEN f.fault <= {DROPPED} THEN f.payload_bytes END AS payload_bytes,
    CASE WHEN f.fault <= {DROPPED} THEN f.packet_count END AS packet_count,
    CASE WHEN f.fault = {OK} THEN f.wire_bytes END AS wire_bytes,
    CASE WHEN f.fault = {OK} AND f.duration_us > {US_PER_MINUTE} THEN f.payload_bytes ELSE 0 END
      AS coarse_bytes,
    CASE WHEN f.fault <= {DROPPED} AND f.packet_count = 0 AND f.payload_bytes > 0
      THEN 1 ELSE 0 END AS is_unpacked,
    CASE WHEN f.fault <= {DROPPED}
      THEN (f.offset_us + GREATEST(COALESCE(f.duration_us, 0), 1) - 1) // {US_PER_MINUTE} END
      AS reach
  FROM staged AS f
) AS f
GROUP BY {_BY_REPORT}, f.fault, f.drop_reason
"""
"""How many records there are, and what they add up to."""

_LONG = f"fault = {OK} AND offset_us + duration_us > {US_PER_MINUTE}"
_OF_LONG = f"""(
    SELECT day_part, report, configuration, start_minute, wire_bytes, ports,
      {OFFSET_MS} AS offset_ms, {DURATION_MS} AS duration_ms, {SPAN} AS span
    FROM staged
    WHERE {_LONG}
  )"""
_SHARE = f"{share_until('p.position + 1')} - {share_until('p.position')}"
_IN_MINUTE = {**_of_report(), "minute": "f.minute", "wire_bytes": "SUM(f.wire_bytes)"}

DAY_SHARES = f"""
SELECT {_row(SHARE, _IN_MINUTE)}
FROM (
  SELECT {_BY_REPORT}, f.start_minute + p.position AS minute, {_SHARE} AS wire_bytes
  FROM {_OF_LONG} AS f
  JOIN span_position AS p ON p.span = f.span
  WHERE p.position > 0
) AS f
WHERE f.wire_bytes > 0
GROUP BY {_BY_REPORT}, f.minute
"""
"""What falls into minutes after the one in which the flow began; see `sums.minutes`."""

DAY_FLOWS = f"""
SELECT {_row(FLOW, {**_IN_MINUTE, "ports": "f.ports"})}
FROM (
  SELECT {_BY_REPORT}, f.ports, f.start_minute AS minute, f.wire_bytes
  FROM staged AS f
  WHERE f.fault = {OK} AND f.ports IS NOT NULL AND f.offset_us + f.duration_us <= {US_PER_MINUTE}
  UNION ALL
  SELECT {_BY_REPORT}, f.ports, f.start_minute + p.position AS minute, {_SHARE} AS wire_bytes
  FROM {_OF_LONG} AS f
  JOIN span_position AS p ON p.span = f.span
  WHERE f.ports IS NOT NULL
) AS f
GROUP BY {_BY_REPORT}, f.ports, f.minute
"""

DAY_ROUND_TRIPS = f"""
SELECT {
    _row(
        ROUND_TRIP,
        {
            **_of_report(),
            "step": "f.step",
            "rtt_us": "SUM(f.rtt_us)",
            "records": "COUNT(*)",
        },
    )
}
FROM (
  SELECT {_BY_REPORT}, f.rtt_us, {rtt_step("f.rtt_us")} AS step
  FROM staged AS f
  WHERE f.fault = {OK} AND f.rtt_us IS NOT NULL
) AS f
GROUP BY {_BY_REPORT}, f.step
"""

DAY_ENDS = f"""
SELECT {
    _row(
        END,
        {
            "day_part": _or_null("e.day_part", MIDDLE),
            "number": "i.node",
            "start_day": "e.start_day",
            "address": "e.address",
            "project": "e.project",
            "name": "e.name",
            "details": "e.details",
        },
    )
}
FROM met_end AS e
JOIN endpoint AS i ON {SAME}
WHERE i.node IS NOT NULL
"""

DAY_NAMES = f"""
SELECT {_row(NAME, {"configuration": "f.configuration", "note": "MIN(f.configuration_name)"})}
FROM flow_record AS f
WHERE f.configuration > 0
GROUP BY f.configuration
"""


def examples(count: int, unremarkable: Iterable[int]) -> str:
    """Return the first faulty records of each part of a day, and of each day of the beginning."""
    others = ", ".join(map(str, sorted(unremarkable)))
    values = {
        "day_part": _or_null("f.day_part", MIDDLE),
        "fault": "f.fault",
        "start_minute": "f.start_minute",
        "note": "f.note",
    }
    return f"""
SELECT {_row(EXAMPLE, values)}
FROM (
  SELECT day_part, fault, start_minute, note,
    ROW_NUMBER() OVER (
      PARTITION BY day_part, COALESCE(start_minute // {MINUTES_PER_DAY}, 0)
      ORDER BY COALESCE(note, ''), fault, COALESCE(start_minute, 0)
    ) AS position
  FROM staged
  WHERE fault > {DROPPED} AND fault NOT IN ({others})
) AS f
WHERE f.position <= {count}
"""


def state(text: str) -> str:
    """Return the row that says of what state of the logs a day is; the text has no quotes."""
    quoted = f"'{text}'"
    return f"SELECT {_row(STATE, {'note': quoted})}"


IDENTITIES = "SELECT DISTINCT e.address, e.project, e.name FROM met_end AS e"
OF_OTHER_DAYS = """
SELECT COUNT(*) AS records FROM flow_record WHERE day_part IS NULL
"""
"""Records that are not of the day of their table."""
