"""Text that is safe to show: characters that move the cursor, reorder a line or hide in it are written as escapes."""

from __future__ import annotations

import unicodedata

# Control, format (bidirectional and zero-width ones too), half of a pair, private, unassigned; ends of line.
HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
# Letters and marks that have no shape of their own: fillers of Hangul, joiners, selectors of variants.
SHAPELESS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0") | frozenset(
    map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)


def is_visible(character: str) -> bool:
    """Whether a character shows itself and nothing else."""
    return " " <= character <= "~" or not (unicodedata.category(character) in HIDDEN or character in SHAPELESS)


def visible(text: str) -> str:
    r"""The text with all other characters as escapes, such as \x1b and \u202e; also those of a new line."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if is_visible(c) else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


def visible_lines(text: str) -> str:
    """The same for a text of several lines."""
    return "\n".join(map(visible, text.split("\n")))
