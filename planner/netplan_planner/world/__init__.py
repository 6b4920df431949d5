"""What is read of a project, joined into `Facts`: the only room above the readers with I/O."""
