"""`netplan collect`: one file of what an audit reads."""
