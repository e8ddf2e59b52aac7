"""The target behind chains and folds of outer functions."""
