"""Google's own clients as a transport: imported where they are asked for, never else."""
