"""Compiled loops over arrays: values, derivatives and fits of postfix programs. Nothing here raises."""
