"""Nothing that a terminal would obey, reorder or hide is shown raw, whatever the text."""

import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic_sr.errors import FileWarning, InvalidFormula, InvalidTable, MosaicWarning
from mosaic_sr.visible import visible, visible_lines

CASES = {
    "plain": "plain",
    "größe (m²) α β": "größe (m²) α β",
    "\x1b[31m": r"\x1b[31m",
    "\x9b31m": r"\x9b31m",
    "a\u202eb\u2066": r"a\u202eb\u2066",
    "a\u200bb\ufeff": r"a\u200bb\ufeff",
    "a\nb\tc\rd\x07": r"a\nb\tc\rd\x07",
    "\u2028\u2029\x85": r"\u2028\u2029\x85",
    "\ud800": r"\ud800",
    "\u3164\ufe0f\U000e0041": r"\u3164\ufe0f\U000e0041",
    "日本 é 😀": "日本 é 😀",
}


@pytest.mark.parametrize("text", CASES)
def test_hidden_characters_are_escapes_and_others_stay(text):
    assert visible(text) == CASES[text]


def test_every_character_is_shown_or_escaped():
    for code in range(sys.maxunicode + 1):
        shown = visible(chr(code))
        assert shown.isascii() or unicodedata.category(shown) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}


@settings(deadline=None, derandomize=True)
@given(st.text(st.characters(), max_size=30))
def test_messages_of_errors_and_warnings_are_safe(text):
    for kind in (InvalidTable, InvalidFormula, MosaicWarning, FileWarning):
        assert str(kind(text)) == visible_lines(text)
        assert kind(text).args == (text,)
