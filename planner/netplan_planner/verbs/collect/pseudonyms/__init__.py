"""Names and addresses of a project replaced by others, alike ones by the same one everywhere."""
