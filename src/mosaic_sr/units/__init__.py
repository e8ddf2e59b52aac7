"""Units of columns: parsing, homogeneous laws, dimensionless groups, and the units of a law's constants."""
