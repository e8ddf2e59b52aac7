"""Files that count as long, however short they are."""

import pytest

from mosaic_sr.big_tables import blocks


@pytest.fixture
def short_is_long(monkeypatch):
    """Read every file in blocks of 1,000 rows."""
    for name in ("MOST_NUMBERS", "MOST_TEXT", "MOST_COMPRESSED"):
        monkeypatch.setattr(blocks, name, 0)
    monkeypatch.setattr(blocks, "BLOCK_ROWS", 1_000)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 2**16)
