"""The first screen of an audit, and one finding by itself."""
