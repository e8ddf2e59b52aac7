"""Workbooks of formulas over named cells, written by hand and computed by LibreOffice without a window."""

import subprocess
import zipfile
from html import escape
from xml.etree import ElementTree

import numpy as np

TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml."
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def calc_values(program, formulas, cells, folder):
    """The values of formulas, (formulas, rows), NaN for errors; cells: name -> numbers, one per row.

    Every row has a sheet of its own with names of its own: cell An is the n-th name, cell Bn the n-th formula.
    """
    num_rows = len(next(iter(cells.values()))) if cells else 1
    write_workbook(folder / "laws.xlsx", formulas, cells, num_rows)
    # One profile for all tests of a process: making one takes seconds.
    profile = f"-env:UserInstallation=file://{folder.parent}/office-profile"
    command = [program, profile, "--headless", "--convert-to", "xlsx", "--outdir", "computed", "laws.xlsx"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240, check=False)
    assert (folder / "computed" / "laws.xlsx").exists(), done.stdout + done.stderr
    with zipfile.ZipFile(folder / "computed" / "laws.xlsx") as archive:
        sheets = [archive.read(f"xl/worksheets/sheet{n}.xml") for n in range(1, num_rows + 1)]
    return np.array([_second_cells(sheet, len(formulas)) for sheet in sheets]).T


def write_workbook(path, formulas, cells, num_rows):
    """A workbook with one sheet per row."""
    sheets = range(1, num_rows + 1)
    listed = "".join(f'<sheet name="row{n}" sheetId="{n}" r:id="r{n}"/>' for n in sheets)
    names = "".join(
        f'<definedName name="{escape(name)}" localSheetId="{n - 1}">row{n}!$A${place}</definedName>'
        for n in sheets
        for place, name in enumerate(cells, start=1)
    )
    relations = "".join(
        f'<Relationship Id="r{n}" Type="{RELATIONS}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n in sheets
    )
    parts = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{TYPES}worksheet+xml"/>' for n in sheets
    )
    files = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{TYPES}sheet.main+xml"/>{parts}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">{relations}</Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>{listed}</sheets>'
        f"<definedNames>{names}</definedNames></workbook>",
    }
    for n in sheets:
        files[f"xl/worksheets/sheet{n}.xml"] = _sheet(formulas, [column[n - 1] for column in cells.values()])
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')


def _sheet(formulas, numbers):
    rows = []
    for place in range(1, max(len(formulas), len(numbers)) + 1):
        number = f'<c r="A{place}"><v>{float(numbers[place - 1])!r}</v></c>' if place <= len(numbers) else ""
        formula = (
            f'<c r="B{place}"><f>{escape(formulas[place - 1].removeprefix("="))}</f></c>'
            if place <= len(formulas)
            else ""
        )
        rows.append(f'<row r="{place}">{number}{formula}</row>')
    return f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(rows)}</sheetData></worksheet>'


def _second_cells(sheet, count):
    """The values of column B; NaN for errors."""
    cells = {cell.get("r"): cell for cell in ElementTree.fromstring(sheet).iter(f"{{{MAIN}}}c")}
    found = [cells[f"B{place}"] for place in range(1, count + 1)]
    return [np.nan if cell.get("t") == "e" else float(cell.find(f"{{{MAIN}}}v").text) for cell in found]
