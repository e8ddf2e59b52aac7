"""Smaller tables: columns, factors and terms that can be taken off, and the way back from a law of the rest."""
