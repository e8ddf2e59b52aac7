"""Workbooks for tests, written by hand: a zip of a few XML files."""

import zipfile
from xml.sax.saxutils import escape

TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>'
)
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def write_workbook(path, **sheets):
    """A workbook of sheets by name, each a list of rows of texts, numbers, truths and None."""
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("[Content_Types].xml", TYPES)
        packed.writestr("_rels/.rels", _relations({"xl/workbook.xml": "officeDocument"}))
        named = "".join(
            f'<sheet name="{escape(name)}" sheetId="{number}" r:id="rId{number}"/>'
            for number, name in enumerate(sheets, 1)
        )
        packed.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{MAIN}" xmlns:r="{RELATION}"><sheets>{named}</sheets></workbook>'
        )
        parts = {f"worksheets/sheet{number}.xml": "worksheet" for number in range(1, len(sheets) + 1)}
        packed.writestr("xl/_rels/workbook.xml.rels", _relations(parts))
        for part, rows in zip(parts, sheets.values(), strict=True):
            lines = "".join(f'<row r="{number}">{_cells(row, number)}</row>' for number, row in enumerate(rows, 1))
            packed.writestr(f"xl/{part}", f'<worksheet xmlns="{MAIN}"><sheetData>{lines}</sheetData></worksheet>')


def _relations(parts):
    entries = "".join(
        f'<Relationship Id="rId{number}" Type="{RELATION}/{kind}" Target="{part}"/>'
        for number, (part, kind) in enumerate(parts.items(), 1)
    )
    return f'<Relationships xmlns="{PACKAGE}">{entries}</Relationships>'


def _cells(row, number):
    return "".join(_cell(value, f"{chr(65 + place)}{number}") for place, value in enumerate(row))


def _cell(value, place):
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, str) and value.startswith("#"):
        return f'<c r="{place}" t="e"><v>{value}</v></c>'
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{place}"><v>{value!r}</v></c>'
