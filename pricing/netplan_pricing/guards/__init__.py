"""What a price may not be: guards over every kind of price of a snapshot, in one place.

`alone` judges a snapshot by itself, and says which regions lack their traffic; `beside` judges a
new one against the one before. `prices verify`, `prices build` and `prices refresh` ask the same.
"""
