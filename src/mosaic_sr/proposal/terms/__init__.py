"""Terms: functions of columns with up to two free numbers, products of them, and sums as formulas."""
