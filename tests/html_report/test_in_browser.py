"""A report in headless Chromium: what is shown follows a click, nothing is loaded, nothing fails."""

import numpy as np
import pytest
from browser import browser, lacking
from noisy_outcomes import ROWS
from pictured import noisy_pair, plain_outcome

from mosaic_sr.html_report import Origin, write_report
from mosaic_sr.pictures import observe_arrays

pytestmark = pytest.mark.skipif(bool(lacking()), reason=lacking() or "there is a browser")

# For a page that is opened for the first time; a person waits no longer.
MOST_SECONDS = 1.0
SEEN = "[...document.querySelectorAll('[data-law]')].filter((part) => part.offsetParent !== null)"
NASTY = '</script><script>document.title="owned"</script><img src=x onerror="document.title=1">'
DOWN = "\ue015"


@pytest.fixture(scope="module")
def window(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as window:
        yield window


@pytest.fixture
def opened(window, tmp_path):
    """The report of a noisy table in the window; at the end nothing was loaded and nothing has failed."""
    outcome, rows = noisy_pair(outliers=(4, 9))
    write_report(tmp_path / "law.html", outcome, rows, Origin("mosaic fit", {}))
    window.resize(1280, 900)
    window.open(tmp_path / "law.html")
    yield window
    assert not window.complaints()
    assert {address.split(":")[0] for address in window.requests()} <= {"file", "data"}


def shown(window):
    """The equation that is shown: its number, formula, median size of residuals, and the pictures of it."""
    numbers = window.run(f"return [...new Set({SEEN}.map((part) => part.dataset.law))]")
    assert len(numbers) == 1
    formula = window.run(f"return {SEEN}[0].querySelector('math').textContent")
    facts = window.run(f"return {SEEN}[0].querySelector('dl').innerText")
    pictures = window.run(f"return {SEEN}[1].innerHTML")
    checked = window.run("return document.querySelector('input:checked').value")
    marked = window.run("return [...document.querySelectorAll('circle.shown')].map((spot) => spot.dataset.show)")
    assert checked == numbers[0]
    assert marked in ([numbers[0]], [])  # a rival is not on the front
    return numbers[0], formula, facts, pictures


def test_the_law_is_shown_at_first(opened):
    number, formula, _, _ = shown(opened)
    assert number == "1"
    assert formula.replace("\u2062", "") == "y=2x+1.5"


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("label:has(input[value='0'])", "y=4.5"),
        ("circle[data-show='0']", "y=4.5"),
        ("label:has(input[value='3'])", "y=3z"),
        (".rivals button[data-show='2']", "y=2.5x1.2"),
    ],
)
def test_formula_numbers_and_pictures_follow_a_click(opened, selector, expected):
    before = shown(opened)
    opened.click(selector)
    after = shown(opened)
    assert after[1].replace("\u2062", "") == expected
    assert all(one != other for one, other in zip(before, after, strict=True))
    opened.click(".law:not([hidden]) .standing button")
    assert shown(opened) == before


def test_the_front_is_walked_with_the_keyboard(opened):
    opened.press("input[value='0']", " ")
    assert shown(opened)[0] == "0"
    opened.press("input[value='0']", DOWN)
    assert shown(opened)[0] == "1"


def test_a_point_shows_its_row_under_the_mouse(opened):
    place = opened.run(f"""
        const svg = {SEEN}[1].querySelector('figure.residuals svg'), box = svg.getBoundingClientRect();
        svg.scrollIntoView(); const now = svg.getBoundingClientRect();
        const [x, y] = svg.querySelector('path.outliers').getAttribute('d').split('M')[1].split('h')[0].split(' ');
        const scale = now.width / svg.viewBox.baseVal.width;
        svg.dispatchEvent(new PointerEvent('pointermove', {{
            bubbles: true, clientX: now.left + x * scale, clientY: now.top + y * scale}}));
        return document.getElementById('tip').textContent;""")
    assert place.startswith("row 4: residual ≈ ")


@pytest.mark.parametrize("width", [320, 390, 768, 1280, 1920])
def test_the_page_is_never_wider_than_the_window(opened, width):
    opened.resize(width, 900)
    assert opened.run("return document.documentElement.scrollWidth") <= width


def test_dark_pages_have_light_letters(opened):
    colours = {}
    for scheme in ("light", "dark"):
        opened.prefer(color_scheme=scheme)
        colours[scheme] = opened.run("return getComputedStyle(document.body).color")
    opened.prefer(color_scheme="light")
    light, dark = (sum(map(int, colour[4:-1].split(","))) for colour in (colours["light"], colours["dark"]))
    assert light < 150
    assert dark > 600


def test_the_page_can_be_printed(opened):
    assert opened.printed().startswith(b"%PDF")


def test_names_with_markup_run_nothing(window, tmp_path):
    names = (NASTY, "z", "w")
    outcome = plain_outcome("2", f"2*`{NASTY}`", names=names, target=NASTY, notes=(NASTY,))
    write_report(tmp_path / "law.html", outcome, observe_arrays(outcome, ROWS, 2.1 * ROWS[0]), Origin(NASTY, {}))
    window.open(tmp_path / "law.html")
    assert window.run("return document.title").startswith("</script>")
    assert window.run("return [document.images.length, document.scripts.length]") == [0, 1]
    window.click("label:has(input[value='0'])")
    assert shown(window)[0] == "0"
    assert not window.complaints()


def test_a_large_report_opens_within_a_second(window, tmp_path):
    rng = np.random.default_rng(0)
    names = tuple(f"c{i}" for i in range(30))
    columns = rng.uniform(1.0, 4.0, size=(30, 5_000))
    outcome = plain_outcome(*[" + ".join(f"{j}.5*c{j}" for j in range(1 + i // 3)) for i in range(18)], names=names)
    rows = observe_arrays(outcome, columns, columns[0] + rng.normal(size=5_000))
    write_report(tmp_path / "law.html", outcome, rows)
    assert (tmp_path / "law.html").stat().st_size > 500_000
    # Seconds of the processor, which do not depend on what else the machine does.
    window.devtools("Performance.enable", timeDomain="threadTicks")
    window.open(tmp_path / "law.html")
    window.run("return document.body.offsetHeight")
    assert 0.0 < task_seconds(window) < MOST_SECONDS


def task_seconds(window):
    """Seconds that the page has kept the processor busy since it was opened."""
    return {one["name"]: one["value"] for one in window.devtools("Performance.getMetrics")["metrics"]}["TaskDuration"]
