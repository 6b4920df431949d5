"""From where on a price is not believed; each with what was seen on 2026-04-30 beside it."""

from decimal import Decimal

MOST_AGAINST_LIKE = Decimal(5)
"""Times the median of the same price in all places; at most 3.67 (N1's extended memory in Turin),
otherwise 2.8 (traffic from Sao Paulo to Europe)."""
LEAST_AGAINST_LIKE = Decimal("0.1")
"""At least 0.12 (VPN traffic inside the Americas)."""
MOST_SPOT_AGAINST_LIKE = Decimal(8)
"""At most 4.64 (C4D's local SSD in Paris)."""
FEWEST_LIKE = 3
"""Places that a median is taken of."""

MOST_NEW_AGAINST_AREA = Decimal(2)
"""A new price of machines against the median of its area (the first word of a region); 0.55 to 1.44
of the median of all regions."""
MOST_NEW_TRAFFIC_AGAINST_LIKE = Decimal(4)
"""A new price of traffic either way; up to 2.8 times the median, down to 0.4 of it."""
MOST_NEW_SPOT_AGAINST_LIKE = Decimal(6)

MOST_CHANGE = Decimal(3)
"""Times, or the inverse, that one price may have moved. The carrier peering of 2026-05-01 doubled;
nothing known moved by more."""
MOST_SPOT_CHANGE = Decimal(10)
"""Spot moves within weeks, up to 4.64 times the median of the regions."""
MUCH = Decimal("0.2")
"""A move of a price that counts into the share that may move."""
MOST_MOVED_RATIO = Decimal("0.05")
"""Share of the prices of one kind that may vanish, or move by more than `MUCH`. Within half a year
a sixth of machine prices move, nearly all by less; more is likely a damaged answer."""
FEWEST_FOR_A_SHARE = 20
"""Prices of a kind below which a share says nothing: each is then judged alone."""

CEILING_FACTOR = Decimal(5)
"""Times the dearest price of its kind (facts/dearest_prices.csv) that none may exceed."""

MOST_LACKING_RATIO = Decimal("0.1")
"""Share of the regions, or of their ordered pairs, that may be without prices of traffic: a new
region's come later than its machines'. One of 43 regions is in 4.7 % of the pairs."""
