"""Regression: which terms make up a target: projection, forward choice, elimination, null vectors, free numbers."""
