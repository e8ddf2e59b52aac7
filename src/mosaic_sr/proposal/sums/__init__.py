"""Sums of terms: what finders of sums share, from the terms and links to sparse systems and their writing."""
