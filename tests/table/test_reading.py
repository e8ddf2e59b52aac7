"""Files become numbers, or a named error that says where and what to do."""

import subprocess
import sys
import time
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mosaic_sr.errors import FileWarning, InvalidFile, InvalidTable
from mosaic_sr.inputs import find_input
from mosaic_sr.table import column_names, read_columns, read_file, read_table

BAD = {
    "empty": (b"", "file is empty"),
    "blank": (b"\n  \n\n", "file is empty"),
    "mark only": (b"\xef\xbb\xbf", "file is empty"),
    "header only": (b"a,b,y\n", "no rows"),
    "too few": (b"a,b,y\n1,2,3\n\n4,5\n", "line 4 has 2 values, but the header has 3 names"),
    "too many": (b"a,b,y\n1,2,3\n4,5,6,7\n", "line 3 has 4 values"),
    "text": (b"a,b,y\n1,2,3\n4,blue,6\n", "column 'b' has 'blue' in line 3"),
    "text after an empty cell": (b"a,b,y\n1,,3\n4,blue,6\n", "column 'b' has 'blue' in line 3"),
    "text in the target": (b"a,y\n1,low\n", "target 'y' has 'low' in line 2, not a number; convert it to numbers$"),
    "thousands": (b'a,y\n1,2\n"1,334",3\n', "'1,334' in line 3.*thousands separators, e.g. 1334;"),
    "comma in a text": (
        b"a;y\nred, blue;2\n",
        "'red, blue' in line 2, not a number; convert it to numbers, or.*--ignore 'a'",
    ),
    "text below a name with a comma": (
        b'"Mass, kg","a ""b""",y\nheavy,1,2\n',
        """leave it out with --ignore '"Mass, kg"'$""",
    ),
    "comment alone": (b"# a,y\n", "no rows"),
    "decimal comma": (b"a;y\n1,5;2\n2,5;4\n", "'1,5' in line 2, a number with a comma; write it with a decimal point"),
    "empty cell": (b"a,b,y\n1,2,3\n4,,6\n7,8,9\n1,NA,2\n", "column 'b' has 2 empty.*first in line 3"),
    "NaN": (b"a,y\n1,3\nnan,6\n", "column 'a' has 1 empty or NaN cells, the first in line 3"),
    "infinity": (b"a,y\n1,3\n-inf,6\n", "column 'a' has 1 infinite numbers, the first in line 3"),
    "overflow": (b"a,y\n1,3\n1e999,6\n", "column 'a' has 1 infinite numbers"),
    "no such target": (b"a,b,Y2\n1,2,3\n", "no column 'y'; did you mean 'Y2'"),
    "no near target": (b"alpha,beta\n1,2\n", "no column 'y'; the columns are 'alpha', 'beta'"),
    "no header": (b"1.0,2.0\n3,4\n", "first line has numbers"),
    "target alone": (b"y\n1\n2\n", "no column except the target"),
    "duplicate names": (b"a,a,y\n1,2,3\n", "2 columns are named 'a'"),
    "latin-1": ("größe,y\n1,2\n".encode("latin-1"), "not UTF-8"),
    "utf-16": ("a,y\n1,2\n".encode("utf-16"), "UTF-16"),
    "cut workbook": (b"PK\x03\x04 whatever", "not a readable workbook"),
    "number with its unit": (b"a,y\n1,2\n1.69 m,3\n", "'1.69 m' in line 3, a number with its unit; write 1.69 and put"),
    "units in the first row": (b"a,y\n1.69 m,2 s\n1,3\n", "'1.69 m' in line 2, a number with its unit"),
    "percentage": (b"a,y\n12 %,2\n", "'12 %' in line 2, a percentage; write 12 and"),
    "bound": (b"a,y\n<0.05,2\n1,3\n", "'<0.05' in line 2, a bound, not a value; empty the cell"),
    "error in the cell": (b"a,y\n1.2 +/- 0.3,2\n", "a number with its error; write 1.2 and"),
    "error in brackets": (b"a,y\n1.23(4),2\n", "a number with its error; write 1.23 and"),
    "date": (b"a,y\n2024-01-05,2\n", "a date or a time; convert it to a number"),
    "month": (b"a,y\n1 May,2\n", "'1 May' in line 2, a date or a time; .*, or leave it out with --ignore 'a'"),
    "month of the target": (
        b"a,y\n1,Dec 24\n",
        "a date or a time; convert it to a number, e.g. seconds since the first row$",
    ),
    "money": (b"a,y\n$5.20,2\n", "an amount of money; write only 5.20"),
    "spreadsheet error": (b"a,y\n#DIV/0!,2\n1,3\n", "a spreadsheet error"),
    "gzip": (b"\x1f\x8b\x08\x00abc", "gzip"),
    "binary": (bytes(range(256)) * 20, "binary file"),
    "cut Parquet": (b"PAR1 and then nothing", "not a readable Parquet file"),
    "open quote": (b'a,y\n1,"2\n3,4\n', "not a delimited text file"),
    "endless cell": (b"a,y\n1," + b"9" * 200_000 + b"\n", "not a delimited text file"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused_by_name(case, tmp_path):
    content, message = BAD[case]
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(InvalidFile, match=message) as caught:
        read_table(path, "y")
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


PIECES = st.sampled_from(
    ["a", "y", "1", "2.5", "-1e3", ",", ",", "\n", "\n", ";", "\t", " ", '"', "#", "é", "\0", "nan", "\r"]
)
CONTENTS = st.one_of(st.binary(max_size=60), st.lists(PIECES, max_size=40).map("".join).map(str.encode))


@settings(
    deadline=None, derandomize=True, max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(CONTENTS)
def test_any_bytes_give_finite_numbers_or_a_named_error(tmp_path, content):
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FileWarning)
            frame = read_table(path, "y")
    except (InvalidFile, InvalidTable):
        return
    assert np.all(np.isfinite(frame.to_numpy()))
    assert len(frame) > 0


@pytest.mark.parametrize(
    "content",
    ["# made by hand\n#, on a rainy day\na,y\n1,2\n", "# a,y\n1,2\n", "# measured\n# a y\n1 2\n", "#a,y\n1,2\n"],
)
def test_comments_before_the_names_are_skipped(content, tmp_path):
    (tmp_path / "table.csv").write_text(content)
    assert read_table(tmp_path / "table.csv", "y").to_dict("list") == {"a": [1.0], "y": [2.0]}


def test_columns_can_be_left_out(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,when,y\n1,Monday,2\n")
    assert list(read_table(path, "y", ignored=["when"])) == ["a", "y"]
    for ignored, message in ((["wen"], "no column 'wen'; did you mean 'when'"), (["y"], "the target 'y' is also")):
        with pytest.raises(InvalidFile, match=message):
            read_table(path, "y", ignored=ignored)


def frame_with_index(file, text):
    file.write_text(text)
    with pytest.warns(FileWarning, match="left out 'Unnamed: 0', which only numbers the rows"):
        return read_table(file, "y")


def test_a_stored_index_is_left_out_unless_it_is_asked_for(tmp_path):
    path = tmp_path / "table.csv"
    rows = pd.DataFrame({"a": [3.0, 5.0, 4.0], "y": [1.0, 2.0, 3.0]})
    rows.to_csv(path)
    assert list(frame_with_index(path, path.read_text())) == ["a", "y"]
    assert list(frame_with_index(path, "Unnamed: 0,a,y\n1,3,1\n2,5,2\n")) == ["a", "y"]
    rows.to_csv(path)
    assert list(read_table(path, "y", columns=["Unnamed: 0"])) == ["Unnamed: 0", "y"]
    assert list(read_table(path, "Unnamed: 0")) == ["a", "y", "Unnamed: 0"]
    assert list(read_table(path, "y", ignored=["Unnamed: 0"])) == ["a", "y"]


@pytest.mark.parametrize(
    "content", [",a,y\n0,3,1\n2,5,2\n", ",a,y\n2,3,1\n3,5,2\n", ",y\n0,1\n1,2\n", ",y,\n0,1,\n1,2,\n"]
)
def test_other_nameless_columns_and_the_only_one_are_read(content, tmp_path):
    (tmp_path / "table.csv").write_text(content)
    assert "Unnamed: 0" in read_table(tmp_path / "table.csv", "y")


@pytest.mark.parametrize("content", ["a,y,\n1,2,\n", "a,y,,\n1,2,,\n", "a,y,\n1,2\n", ",a,y\n,1,2\n"])
def test_empty_columns_without_a_name_are_left_out(content, tmp_path):
    (tmp_path / "table.csv").write_text(content)
    assert read_table(tmp_path / "table.csv", "y").to_dict("list") == {"a": [1.0], "y": [2.0]}


def test_names_are_read_without_the_rows(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("# measured\nwhen,y,a,\nMonday,1,2\nTuesday,3\n")
    file = find_input(path)
    assert column_names(file, "y") == ["when", "a", "y"]
    assert column_names(file, "y", ignored=["when"]) == ["a", "y"]
    pd.DataFrame({"y": [1], "a": ["text"]}).to_parquet(path)
    assert column_names(file, "y") == ["a", "y"]
    with pytest.raises(InvalidFile, match="no column 'z'"):
        column_names(file, "z")


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(InvalidFile, match="no such file"):
        read_table(tmp_path / "none.csv", "y")
    with pytest.raises(InvalidFile, match="this is a folder"):
        read_table(tmp_path, "y")


GOOD = {
    "commas": ("t.csv", "a,b,y\n1,2,3\n4,5,6\n"),
    "blanks after commas": ("t.csv", "a, b, y\n1, 2, 3\n4, 5, 6\n"),
    "semicolons": ("t.csv", "a;b;y\n1;2;3\n4;5;6\n"),
    "bars": ("t.txt", "a|b|y\n1|2|3\n4|5|6"),
    "tabs": ("t.tsv", "a\tb\ty\n1\t2\t3\n4\t5\t6\n"),
    "tabs in a csv": ("t.csv", "a\tb\ty\n1\t2\t3\n4\t5\t6\n"),
    "aligned blanks": ("t.dat", "  a   b   y \n  1   2   3 \n  4   5   6 \n"),
    "windows lines": ("t.csv", "a,b,y\r\n1,2,3\r\n4,5,6\r\n"),
    "byte order mark": ("t.csv", "\ufeffa,b,y\n1,2,3\n4,5,6\n"),
    "blank lines": ("t.csv", "\na,b,y\n\n1,2,3\n4,5,6\n\n\n"),
    "quotes": ("t.csv", '"a","b","y"\n"1","2","3"\n4,5,6\n'),
    "scientific": ("t.csv", "a,b,y\n1e0,.2E1,3.\n+4,5,6\n"),
}


@pytest.mark.parametrize("case", GOOD)
def test_common_layouts_are_read(case, tmp_path):
    name, content = GOOD[case]
    path = tmp_path / name
    path.write_bytes(content.encode())
    frame = read_table(path, "y")
    assert list(frame.columns) == ["a", "b", "y"]
    np.testing.assert_array_equal(frame.to_numpy(), [[1, 2, 3], [4, 5, 6]])


def test_names_with_blanks_signs_and_separators_are_kept(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('my col %,"a, b",größe,N,y\n1,2,3,4,5\n6,7,8,9,9\n', encoding="utf-8")
    assert list(read_table(path, "N").columns) == ["my col %", "a, b", "größe", "y", "N"]


def test_only_the_columns_in_use_have_to_be_numbers(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,comment,b,y\n1,fine,2,3\n4,,5,6\n")
    assert list(read_table(path, "y", columns=["b"]).columns) == ["b", "y"]
    with pytest.raises(InvalidFile, match="'comment' has 'fine' in line 2"):
        read_table(path, "y")
    with pytest.raises(InvalidFile, match="also in the feature columns"):
        read_table(path, "y", columns=["a", "y"])
    with pytest.raises(InvalidFile, match="no column 'bb'; did you mean 'b'"):
        read_table(path, "y", columns=["bb"])


def seconds_to_read(path, num_columns):
    """Of the processor, because others may be at work on the machine."""
    names = ",".join(f"c{place}" for place in range(num_columns))
    path.write_text(f"{names},y\n" + "1," * num_columns + "2\n" + "3," * num_columns + "4\n")
    before = time.process_time()
    assert len(read_columns(path, "y")) == num_columns + 1
    return time.process_time() - before


def test_many_columns_take_linear_time(tmp_path):
    few, many = (seconds_to_read(tmp_path / "t.csv", count) for count in (10_000, 100_000))
    assert many < 40.0 * few  # a hundred times where every name is looked for among all


def test_a_file_without_target_is_read_whole(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    assert list(read_table(path, None).columns) == ["a", "b"]


def test_logical_columns_become_numbers(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\nTrue,1\nfalse,2\n")
    assert read_table(path, "y")["a"].tolist() == [1.0, 0.0]


def test_numbers_come_back_to_the_last_bit_across_blocks(tmp_path):
    rng = np.random.default_rng(0)
    expected = pd.DataFrame({"a": 10 ** rng.uniform(-300, 300, 10_000), "y": rng.normal(size=10_000)})
    for path in (tmp_path / "t.csv", tmp_path / "t.parquet"):
        expected.to_parquet(path) if path.suffix == ".parquet" else expected.to_csv(path, index=False)
        np.testing.assert_array_equal(read_table(path, "y").to_numpy(), expected.to_numpy())


def test_parquet_columns_that_are_not_numbers_are_refused(tmp_path):
    path = tmp_path / "t.parquet"
    frame = pd.DataFrame({"a": ["p", "q"], "b": [1.0, None], "y": [1, 2]}, index=["r", "s"])
    frame.to_parquet(path)
    with pytest.raises(InvalidTable, match="column 'a' has 'p' in row 0"):
        read_table(path, "y")
    with pytest.raises(InvalidFile, match="column 'b' has 1 empty or NaN cells, the first in row 2"):
        read_table(path, "y", columns=["b"])
    frame.iloc[:0].to_parquet(path)
    with pytest.raises(InvalidFile, match="no rows"):
        read_table(path, "y")


def test_parquet_without_pyarrow_names_the_remedy(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": [1, 2], "y": [1, 2]}).to_parquet(path)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(InvalidFile, match="pip install pyarrow"):
        read_table(path, "y")


def test_importing_the_table_leaves_pandas_out():
    code = "import sys, mosaic_sr.table; sys.exit('pandas' in sys.modules or 'pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_row_of_units_below_the_names_is_kept_apart(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\nm, - ,1\n1,2,3\n4,5,6\n")
    read = read_file(find_input(tmp_path / "t.csv"), "y")
    assert read.units == {"a": "m", "b": "-", "y": "1"}
    assert read.columns["a"].tolist() == [1.0, 4.0]
    assert read.place(0) == "line 3"
    assert read_table(tmp_path / "t.csv", "y")["y"].tolist() == [3.0, 6.0]
