"""`netplan init`: a commented netplan.toml for the inputs that lie in a folder."""
