"""From the wire bytes of edges by minute to those of machines and paths by hour."""

from netplan_planner.units import SECONDS_PER_HOUR, SECONDS_PER_MINUTE

MINUTES_PER_HOUR = SECONDS_PER_HOUR // SECONDS_PER_MINUTE

MACHINE_HOURS = f"""
SELECT e.src_vm AS vm, m.minute // {MINUTES_PER_HOUR} AS hour,
  CAST(SUM(m.wire) AS BIGINT) AS wire,
  CAST(SUM(CASE WHEN e.leaves_vpc = 1 THEN m.wire ELSE 0 END) AS BIGINT) AS outside
FROM edge_minute AS m
JOIN edge AS e ON e.edge = m.edge
WHERE e.src_vm IS NOT NULL
GROUP BY e.src_vm, m.minute // {MINUTES_PER_HOUR}
"""
"""What each machine sends by hour, in all and to outside the VPC; idle hours are left out."""

PATH_HOURS = f"""
SELECT l.path AS path, m.minute // {MINUTES_PER_HOUR} AS hour,
  CAST(SUM(m.wire) AS BIGINT) AS wire
FROM edge_minute AS m
JOIN edge_path AS l ON l.edge = m.edge
GROUP BY l.path, m.minute // {MINUTES_PER_HOUR}
"""
"""What each path carries by hour; idle hours are left out."""
