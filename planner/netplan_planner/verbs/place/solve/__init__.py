"""Zones for machines at least cost of traffic, under capacity, spread groups, pins and round trips.

`problem` says what is asked; `search` answers it. Small parts are proven by HiGHS (`exact`); larger
ones are annealed (`annealing`), brought down and improved a few groups at a time (`descent`);
`crossing` joins what several searches found; `bounds` says what no plan can undercut.
"""
