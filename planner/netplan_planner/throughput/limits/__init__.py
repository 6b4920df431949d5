"""What documents and measurements say that a path may carry, by the name of each limit."""
