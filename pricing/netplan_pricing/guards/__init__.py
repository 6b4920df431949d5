"""What a price may not be: guards over every kind of price of a snapshot, in one place.

`alone` judges a snapshot by itself, `beside` a new one against the one before, `missing` which
regions lack their traffic. `prices verify`, `prices build` and `prices refresh` ask the same ones.
"""
