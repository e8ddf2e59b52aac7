"""The target with an outer function or a known part undone."""
