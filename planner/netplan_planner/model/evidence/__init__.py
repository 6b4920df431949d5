"""What was seen of it: traffic, metrics, measurements."""
