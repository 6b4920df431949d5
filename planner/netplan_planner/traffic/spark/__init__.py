"""Flow logs that a server of Spark Connect reads, where they lie."""
