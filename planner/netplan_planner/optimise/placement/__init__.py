"""Zones for machines at least cost of traffic, under capacity, spread groups, pins and round trips.

`problem` says what is asked; `solve` answers it. Small parts are proven by HiGHS (`exact`); larger
ones are annealed (`annealing`), brought down (`descent`) and improved a few groups at a time
(`neighbourhoods`); `bounds` says what no plan can undercut.
"""
