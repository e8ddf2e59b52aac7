"""The first pass over a long file: what it refuses, what it leaves out, and where."""

import numpy as np
import pytest
from long_files import noisy_columns, write_table

from mosaic_sr.big_tables import open_blocks, survey_file
from mosaic_sr.errors import InvalidFile, InvalidTable
from mosaic_sr.inputs import find_input

KINDS = ("t.parquet", "t.csv", "t.csv.gz")


def survey(path, missing="drop", **options):
    file = open_blocks(find_input(path), "y", **options)
    return survey_file(file, missing, np.random.default_rng(0))


def test_short_files_are_read_whole(tmp_path):
    path = write_table(tmp_path / "t.parquet", noisy_columns(100))
    assert open_blocks(find_input(path), "y") is None


@pytest.mark.parametrize("kind", KINDS)
def test_all_kinds_give_the_same_rows(tmp_path, short_is_long, kind):
    columns = noisy_columns(25_000)
    found = survey(write_table(tmp_path / kind, columns))
    assert found.num_rows == 25_000
    assert found.is_whole
    assert not found.has_gaps
    for name, values in columns.items():
        assert np.array_equal(found.rows.columns[name], values[found.numbers])
    assert found.rows.places[0] == found.numbers[0] + (1 if kind == "t.parquet" else 2)
    assert "25,000 rows were read in blocks" in found.rows.notes[0]


@pytest.mark.parametrize("kind", KINDS)
def test_rows_with_gaps_are_left_out_and_counted(tmp_path, short_is_long, kind):
    columns = noisy_columns(3_000)
    columns["a"][[5, 2_500]] = np.nan
    found = survey(write_table(tmp_path / kind, columns))
    assert found.num_rows == 2_998
    assert found.has_gaps
    assert found.rows.notes == ("2 of 3000 rows are left out because of empty cells: 'a' (2)",)
    place = "row 2501" if kind == "t.parquet" else "line 2502"
    columns["a"][5] = 1.0
    with pytest.raises(InvalidFile, match=f"'a' has empty or NaN cells, the first in {place}"):
        survey(write_table(tmp_path / kind, columns), missing="error")


@pytest.mark.parametrize("kind", KINDS)
def test_infinite_numbers_are_refused_with_their_place(tmp_path, short_is_long, kind):
    columns = noisy_columns(3_000)
    columns["b"][2_200] = np.inf
    place = "row 2201" if kind == "t.parquet" else "line 2202"
    with pytest.raises(InvalidFile, match=f"'b' has infinite numbers, the first in {place}"):
        survey(write_table(tmp_path / kind, columns))


@pytest.mark.parametrize("kind", ["t.csv", "t.csv.gz"])
@pytest.mark.parametrize("row", [3, 4_321])
def test_text_is_refused_with_its_line(tmp_path, short_is_long, kind, row):
    columns = noisy_columns(5_000)
    columns["b"] = columns["b"].astype(object)
    columns["b"][row] = "12 %"
    with pytest.raises(InvalidFile, match=f"column 'b' has '12 %' in line {row + 2}, a percentage; write 12"):
        survey(write_table(tmp_path / kind, columns))


def test_text_in_parquet_is_refused(tmp_path, short_is_long):
    columns = {**noisy_columns(10), "b": list("abcdefghij")}
    with pytest.raises(InvalidTable, match="column 'b'"):
        survey(write_table(tmp_path / "t.parquet", columns))
    assert survey(tmp_path / "t.parquet", ignored=["b"]).num_rows == 10


def test_a_line_of_another_width_is_refused(tmp_path, short_is_long):
    path = write_table(tmp_path / "t.csv", noisy_columns(2_000))
    path.write_text(path.read_text() + "1.0,2.0\n")
    with pytest.raises(InvalidFile, match="cannot be read as a table"):
        survey(path)


def test_damaged_compression_is_refused(tmp_path, short_is_long):
    path = write_table(tmp_path / "t.csv.gz", noisy_columns(20_000))
    path.write_bytes(path.read_bytes()[:100_000])
    with pytest.raises(InvalidFile, match=r"t\.csv\.gz"):
        survey(path)


def test_units_below_the_names_and_comments_above_are_known(tmp_path, short_is_long):
    path = tmp_path / "t.csv"
    path.write_text("# a comment\na;y\nm;s\n" + "".join(f"{i};{2 * i}\n" for i in range(1, 50)))
    found = survey(path)
    assert found.num_rows == 49
    assert found.rows.units == {"a": "m", "y": "s"}
    assert found.rows.places[0] == 4
    path.write_text(path.read_text() + "x;3\n")
    with pytest.raises(InvalidFile, match="column 'a' has 'x' in line 53, not a number"):
        survey(path)


def test_the_clock_ends_the_reading(tmp_path, short_is_long):
    file = open_blocks(find_input(write_table(tmp_path / "t.parquet", noisy_columns(30_000))), "y")
    found = survey_file(file, "drop", np.random.default_rng(0), is_time_up=lambda: True)
    assert not found.is_whole
    assert found.num_rows == 1_000
    assert "time limit" in found.rows.notes[0]


def test_a_column_without_a_name_is_left_out_and_said_to_be(tmp_path, short_is_long):
    path = tmp_path / "t.csv"
    path.write_text(",a,y\n" + "".join(f"{i},{i % 7},{2 * i}\n" for i in range(50)))
    found = survey(path)
    assert list(found.rows.columns) == ["a", "y"]
    assert "left out 'Unnamed: 0'" in found.rows.notes[0]
    assert list(survey(path, columns=["Unnamed: 0"]).rows.columns) == ["Unnamed: 0", "y"]
