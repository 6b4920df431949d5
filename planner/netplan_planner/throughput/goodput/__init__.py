"""The limits of a path put together: the mean, its range and its interval."""
