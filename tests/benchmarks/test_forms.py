"""The count of distinct forms: what is counted, and how it is printed."""

from argparse import Namespace

from benchmarks.__main__ import main
from benchmarks.forms import distinct_forms


def counts(operators, num_columns, nodes):
    return list(distinct_forms(operators, num_columns, Namespace(nodes=nodes)))


def test_forms_in_other_words_count_once():
    # x; nothing; 1 + x and c + x, while x + x is c*x with a number for c and not listed.
    assert counts(("add",), 1, 3) == [1, 0, 2]
    # x*y, c*x and c*y, x*x and y*y; 1*x says nothing.
    assert counts(("mul",), 2, 3) == [2, 0, 5]
    assert counts(("exp", "log"), 1, 3) == [1, 2, 2]


def test_a_table_is_printed_with_a_row_for_each_choice(capsys):
    assert main(["forms", "--nodes", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| operators | columns | 1 node | 2 nodes | 3 nodes |"
    assert len(lines) == 2 + 4 * 3
    assert lines[2] == "| + - * / | 1 | 1 | 0 | 9 |"
