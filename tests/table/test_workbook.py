"""The first sheet of a workbook is read as if it had been saved as CSV."""

import shutil
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from workbooks import write_workbook

from mosaic_sr.errors import FileWarning, InvalidFile, InvalidTable
from mosaic_sr.inputs import find_input
from mosaic_sr.table import GAP_RULES, column_names, read_file, read_table

ROWS = [["length", "is steel", 2020, "y"], [1.5, True, 3, 0.1], [2.25, False, 1e300, 5e-324]]


def test_numbers_names_and_truths_come_back(tmp_path):
    write_workbook(tmp_path / "t.xlsx", data=[[None], *ROWS])
    frame = read_table(tmp_path / "t.xlsx", "y")
    assert frame.to_dict("list") == {
        "length": [1.5, 2.25],
        "is steel": [1.0, 0.0],
        "2020": [3.0, 1e300],
        "y": [0.1, 5e-324],
    }
    assert column_names(find_input(tmp_path / "t.xlsx"), "y") == ["length", "is steel", "2020", "y"]


def test_the_content_counts_and_not_the_ending(tmp_path):
    write_workbook(tmp_path / "t.xlsx", data=ROWS)
    shutil.copy(tmp_path / "t.xlsx", tmp_path / "t.csv")
    assert len(read_table(tmp_path / "t.csv", "y")) == 2


def test_other_sheets_are_told_of(tmp_path):
    write_workbook(tmp_path / "t.xlsx", data=ROWS, notes=[["text"]])
    with pytest.warns(FileWarning, match="only the first sheet, 'data', of 2 is read"):
        read_table(tmp_path / "t.xlsx", "y")


def test_empty_cells_and_errors_are_gaps(tmp_path):
    write_workbook(tmp_path / "t.xlsx", data=[["a", "y"], [1, 2], [None, 3], ["#DIV/0!", 4], ["n/a", 5]])
    read = read_file(find_input(tmp_path / "t.xlsx"), "y")
    assert read.gaps() == {"a": 3}
    assert GAP_RULES["drop"](read).columns["y"].tolist() == [2.0]
    with pytest.raises(InvalidFile, match="column 'a' has 3 empty or NaN cells, the first in line 3"):
        GAP_RULES["error"](read)


@pytest.mark.parametrize(
    ("sheets", "message"),
    [
        ({"data": []}, "the sheet 'data' is empty$"),
        ({"cover": [], "data": ROWS}, "the sheet 'cover' is empty; the table must be in the first of its 2 sheets"),
        ({"data": ROWS[:1]}, "no rows"),
        ({"data": [["a", "y"], [1, 2], ["1.69 m", 2]]}, "'1.69 m' in line 3, a number with its unit"),
        ({"data": [["a", "b"], [1, 2]]}, "no column 'y'"),
        ({"data": [["a", "a", "y"], [1, 2, 3]]}, "2 columns are named 'a'"),
    ],
)
def test_bad_sheets_are_refused_as_bad_text_is(sheets, message, tmp_path):
    write_workbook(tmp_path / "t.xlsx", **sheets)
    with pytest.raises(InvalidFile, match=message):
        read_table(tmp_path / "t.xlsx", "y")


def test_a_row_of_units_is_kept_apart_as_in_text(tmp_path):
    write_workbook(tmp_path / "t.xlsx", data=[["a", "y"], ["m", "s"], [1, 2], [3, 4]])
    assert read_file(find_input(tmp_path / "t.xlsx"), "y").units == {"a": "m", "y": "s"}


def test_other_zip_files_are_no_workbooks(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as packed:
        packed.writestr("readme.txt", "hello")
    with pytest.raises(InvalidFile, match="not a readable workbook"):
        read_table(tmp_path / "t.xlsx", "y")


def test_a_workbook_made_to_fill_the_memory_is_refused_unread(tmp_path, monkeypatch):
    write_workbook(tmp_path / "t.xlsx", data=ROWS)
    monkeypatch.setattr("mosaic_sr.table.workbook.MOST_UNPACKED", 500)
    with pytest.raises(InvalidFile, match="bytes unpacked, which is too large; save the sheet as CSV"):
        read_table(tmp_path / "t.xlsx", "y")


def test_a_password_is_named(tmp_path, monkeypatch):
    import python_calamine

    def protected(_):
        raise python_calamine.PasswordError("Workbook is password protected")

    write_workbook(tmp_path / "t.xlsx", data=ROWS)
    monkeypatch.setattr(
        python_calamine, "CalamineWorkbook", type("Workbook", (), {"from_filelike": staticmethod(protected)})
    )
    with pytest.raises(InvalidFile, match="has a password; save it without one"):
        read_table(tmp_path / "t.xlsx", "y")


@settings(
    deadline=None, derandomize=True, max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.integers(0, 255)), max_size=6), st.floats(0.0, 1.0))
def test_damaged_workbooks_give_finite_numbers_or_a_named_error(tmp_path, changes, kept):
    path = tmp_path / "t.xlsx"
    write_workbook(path, data=ROWS)
    content = bytearray(path.read_bytes())
    for place, byte in changes:
        content[int(place * (len(content) - 1))] = byte
    path.write_bytes(content[: int(kept * len(content))] if kept < 0.5 else content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FileWarning)
            frame = read_table(path, "y")
    except (InvalidFile, InvalidTable):
        return
    assert np.all(np.isfinite(frame.to_numpy()))
