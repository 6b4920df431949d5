"""What `netplan whatif` answers: a project before and after changes."""
