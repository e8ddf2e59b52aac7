"""Names of columns as names of variables in a programming language: valid, distinct, and never one of its own words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from mosaic_sr.visible import is_visible

# Letters that lose no mark when they are taken apart, as people write them without their own keyboard.
SPELLED = {"ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d"}
# Letters, marks, digits and joining lines. Python also takes a dot at mid-height, which Julia reads as a product.
KINDS = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Mn", "Mc", "Nd", "Pc"))
# Languages that cut names cut at 63 letters or later; the rest is for the numbers of names that are alike.
MOST_LETTERS = 56


@dataclass(frozen=True)
class Words:
    """What a language takes as the name of a variable.

    reserved: words with another meaning.
    refused: a pattern of further words that mean something else, such as cells of a sheet.
    is_ascii: whether it takes only English letters; others are then spelled out, as theta and u6e29.
    has_leading_line: whether a name may begin with `_`.
    most_letters: longer names are cut; 0 for no limit.
    ignores_case: whether `t` and `T` are the same.
    """

    reserved: frozenset[str]
    refused: re.Pattern[str] | None = None
    is_ascii: bool = False
    has_leading_line: bool = True
    most_letters: int = 0
    ignores_case: bool = False

    def folded(self, word: str) -> str:
        """Equal for words that the language takes for the same."""
        return word.casefold() if self.ignores_case else word

    def is_taken(self, word: str) -> bool:
        """Whether the language has another use for this word."""
        return self.folded(word) in self.reserved or bool(self.refused and self.refused.fullmatch(word))


def identifiers(names: Sequence[str], words: Words, taken: Sequence[str] = ()) -> list[str]:
    """A distinct identifier for each name: the name itself where that is one, else the nearest to it.

    taken: other words that the source uses.
    """
    used, suffixes = {words.folded(word) for word in taken}, dict[str, int]()
    stems = {name: _identifier(name, words) for name in dict.fromkeys(names)}
    found = []
    for name in names:
        identifier = stem = stems[name]
        while words.folded(identifier) in used:
            key = words.folded(stem)
            suffixes[key] = suffixes.get(key, 1) + 1
            identifier = f"{stem}_{suffixes[key]}"
        used.add(words.folded(identifier))
        found.append(identifier)
    return found


def _identifier(name: str, words: Words) -> str:
    # Python itself reads identifiers in this normal form.
    normal = unicodedata.normalize("NFKC", name)
    kept = _in_ascii(normal) if words.is_ascii else "".join(c if _is_letter(c) else " " for c in normal)
    letters = "_".join(kept.split())
    # Julia forgets what is stored under a name of underscores alone, as Python programmers also expect.
    is_bare = not letters.strip("_") or (letters.startswith("_") and not words.has_leading_line)
    if is_bare or not letters.isidentifier():
        letters = f"x_{letters}"
    letters = letters[: words.most_letters or None]
    return f"{letters}_" if words.is_taken(letters) else letters


def _is_letter(character: str) -> bool:
    is_kind = unicodedata.category(character) in KINDS
    return is_kind and f"a{character}".isidentifier() and is_visible(character)


def _in_ascii(name: str) -> str:
    """The name in English letters: accents dropped, Greek letters by their names, others by number, signs as gaps."""
    apart = unicodedata.normalize("NFKD", "".join(SPELLED.get(c, c) for c in name))
    return "".join(_spelled(c) for c in apart if not unicodedata.combining(c))


def _spelled(character: str) -> str:
    if character.isascii():
        return character if character.isalnum() or character == "_" else " "
    if not character.isalnum() or not is_visible(character):
        return " "
    kind, _, letter = unicodedata.name(character, "").rpartition(" ")
    if kind.startswith("GREEK"):
        return letter.capitalize() if "CAPITAL" in kind else letter.lower()
    return f"u{ord(character):x}"
