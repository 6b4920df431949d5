"""What is read of a project, joined into `Facts`."""
