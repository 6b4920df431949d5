"""What a series of traffic becomes: its level, growth and week, with intervals that hold."""
