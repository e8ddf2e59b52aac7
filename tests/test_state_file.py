"""A state file comes back as it was; what is compressed, lies about its size or holds objects is refused."""

import io
import json
import re
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from mosaic_sr.described import describe, rebuilt
from mosaic_sr.equation import Equation, Errors
from mosaic_sr.exactness import Closeness
from mosaic_sr.expressions.text import parse
from mosaic_sr.state_file import from_bytes, to_bytes

ARRAYS = {"counts": np.arange(6).reshape(2, 3), "names": np.array(["a", "bc"]), "total": np.array(5.0)}
CONTENT = to_bytes("some text", ARRAYS)


def test_text_and_arrays_come_back():
    head, arrays = from_bytes(CONTENT)
    assert head == "some text"
    assert list(arrays) == list(ARRAYS)
    for name, array in arrays.items():
        assert array.dtype == ARRAYS[name].dtype
        np.testing.assert_array_equal(array, ARRAYS[name])


def zipped(change, method=zipfile.ZIP_STORED):
    """The file with the bytes of one array changed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(CONTENT)) as source, zipfile.ZipFile(buffer, "w", method) as archive:
        for name in source.namelist():
            archive.writestr(name, change(source.read(name)) if name == "counts.npy" else source.read(name))
    return buffer.getvalue()


def with_header(pattern, replacement):
    return lambda: zipped(lambda member: re.sub(pattern, replacement, member, count=1))


def saved(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("forge", "message"),
    [
        (lambda: b"", "not a zip file"),
        (lambda: CONTENT[:-30], "not a zip file"),
        (lambda: CONTENT.replace(b"\x93NUMPY", b"\x93NUMPX"), "not a zip file"),  # a checksum is wrong
        (lambda: zipped(bytes, zipfile.ZIP_DEFLATED), "compressed"),
        (lambda: zipped(lambda member: member[:-8]), "length of an array differs"),
        (with_header(rb"\(2, 3\)", b"(2, 9)"), "length of an array differs"),
        (with_header(rb"\(2, 3\), }", b"(0, 3), }"), "length of an array differs"),
        (with_header(rb"\(2, 3\), }   ", b"(9999999), }"), "length of an array differs"),
        (with_header(rb"<i8", b"|O8"), "unexpected header"),
        (with_header(rb"<i8", b"<i7"), "unknown number type"),
        (with_header(rb"False", b"True "), "unexpected header"),
        (with_header(rb"NUMPY\x01", b"NUMPY\x02"), "unexpected header"),
        (lambda: saved(head=np.array([{"a": 1}], dtype=object)), "unexpected header"),
        (lambda: saved(head=np.zeros(3)), "no head"),
        (lambda: saved(counts=np.zeros(3)), "no head"),
        (lambda: saved(head=np.array("x"), **{f"a{number}": np.zeros(1) for number in range(200)}), "too large"),
    ],
)
def test_what_no_search_wrote_is_refused(forge, message):
    with pytest.raises(ValueError, match=message):
        from_bytes(forge())


def test_a_name_that_stands_twice_is_refused():
    buffer = io.BytesIO(CONTENT)
    with zipfile.ZipFile(buffer, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("names.npy", b"")
    with pytest.raises(ValueError, match="twice"):
        from_bytes(buffer.getvalue())


NAMES = ("a", "b c")
LAW = Equation(
    parse("2*a + `b c`", NAMES),
    NAMES,
    Errors(0.5, np.inf),
    Errors(np.nan, 1e-300),
    "grammar",
    Closeness.EXACT,
    (np.nan,),
    ("pi",),
)
TIED = replace(LAW, ties=(LAW,))


def test_an_equation_comes_back_from_json():
    again = rebuilt(Equation, json.loads(json.dumps(describe(TIED), allow_nan=False)), NAMES)
    assert repr(again) == repr(TIED)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("expression", 5),
        ("expression", "a + c"),
        ("expression", "a + ?"),
        ("expression", "_*a"),
        ("training", None),
        ("training", {"nmse": 0.5}),
        ("training", {"nmse": 0.5, "relative": "small"}),
        ("training", {"nmse": 0.5, "relative": True}),
        ("training", {"nmse": 0.5, "relative": 10**400}),
        ("found_by", None),
        ("closeness", 1),
        ("closeness", "NEAR"),
        ("closeness", []),
        ("standard_errors", 0.5),
        ("standard_errors", ["x"]),
        ("standard_errors", [0.5] * 20_000),
        ("constant_names", [5]),
        ("ties", [{}]),
        ("more", 5),
    ],
)
def test_an_equation_with_another_field_is_refused(field, value):
    entry = {**describe(TIED), field: value}
    with pytest.raises(ValueError, match=r"holds|fields|column|open|text of a formula"):
        rebuilt(Equation, entry, NAMES)
