"""The canonical form of a program: n-ary sums and products, flattened, merged and sorted, on arrays."""
