"""Lists of forms are the same whether they are made, remembered or read from a file."""

from itertools import count, islice

import pytest

from mosaic_sr.expressions.expression import apply, constant, variable
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.enumeration import kept_lists
from mosaic_sr.proposal.enumeration.kept_lists import kept
from mosaic_sr.proposal.enumeration.streams import all_in_order
from mosaic_sr.proposal.enumeration.terms import first_terms


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MOSAIC_CACHE_DIR", str(tmp_path / "cache"))
    forget()
    kept_lists._files.cache_clear()
    yield
    forget()
    kept_lists._files.cache_clear()


def forget():
    kept_lists._MEMORY.clear()


def files():
    return sorted(path for path in kept_lists._files().folders[0].iterdir() if path.is_file())


def forms(number=None, columns=(0,)):
    bits = [float(len(columns) - 1)] * len(columns)
    return listed(all_in_order(columns, bits, columns[:1], NAMES, 6), number)


def listed(stream, number=None):
    return [(bits, law.key) for bits, law in islice(stream, number)]


def small(made):
    """A list of five forms that counts how often one is made."""
    for number in range(5):
        made.append(number)
        yield float(number), apply("mul", constant(float("nan")), variable(number))


def test_a_list_goes_on_behind_what_is_kept():
    whole = forms(700)
    forget()
    assert forms(300) == whole[:300]
    assert forms(700) == whole
    forget()
    for file in files():
        file.unlink()
    assert forms(100) + forms(700)[100:] == whole


def test_a_list_is_made_once():
    made = []
    first = listed(kept(("small",), lambda: small(made)))
    assert listed(kept(("small",), lambda: small(made))) == first
    forget()
    assert listed(kept(("small",), lambda: small(made))) == first
    assert len(made) == len(first) == 5


def test_lists_of_the_same_settings_stand_over_any_columns():
    here, there = (
        list(islice(all_in_order(columns, [0.5, 1.5], columns, NAMES, 6), 200)) for columns in ([0, 1], [4, 2])
    )
    assert [bits for bits, _ in here] == [bits for bits, _ in there]
    assert [law.renamed([4, 2]).key for _, law in here] == [law.key for _, law in there]


def test_other_settings_are_other_lists():
    assert forms(50, (0, 1)) != forms(50)
    assert listed(all_in_order([0], [0.0], [0], ("add", "mul"), 6), 50) != forms(50)
    assert [bits for bits, _ in first_terms([0], [0.0], NAMES, 6, 50)] != [bits for bits, _ in forms(50)]


@pytest.mark.parametrize("damage", [lambda content: b"", lambda content: content[:-7], lambda content: content[::-1]])
def test_a_damaged_file_is_made_again(damage):
    whole = forms(60)
    forget()
    (file,) = files()
    file.write_bytes(damage(file.read_bytes()))
    assert forms(60) == whole
    forget()
    assert forms(60) == whole


def test_where_nothing_can_be_written_lists_are_made_anew(tmp_path):
    whole = forms(60)
    (tmp_path / "cache").rename(tmp_path / "gone")
    (tmp_path / "cache").write_text("")
    forget()
    assert forms(60) == whole


def test_only_so_many_files_and_lists_are_kept(monkeypatch):
    monkeypatch.setattr(kept_lists, "MOST_FILES", 3)
    monkeypatch.setattr(kept_lists, "MOST_IN_MEMORY", 2)
    for number in range(6):
        assert len(listed(kept((number,), lambda: small([])))) == 5
    assert len(files()) == 3
    assert len(kept_lists._MEMORY) == 2


def test_only_the_first_forms_are_kept(monkeypatch):
    monkeypatch.setattr(kept_lists, "MOST_FORMS", 10)

    def endless():
        return ((float(number), variable(number)) for number in count())

    assert [bits for bits, _ in islice(kept(("endless",), endless), 30)] == list(range(30))
    forget()
    assert [bits for bits, _ in islice(kept(("endless",), endless), 30)] == list(range(30))
    assert len(kept_lists._read(files()[0].name).forms) == 10


def test_what_ends_a_list_early_leaves_what_was_made():
    def failing():
        yield from islice(small([]), 3)
        raise TimeoutError

    with pytest.raises(TimeoutError):
        list(kept(("failing",), failing))
    assert len(listed(kept(("failing",), lambda: small([])))) == 5
