"""What users read stays in plain English: phrases that were once common here do not come back."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Each with the usual words for it.
STILTED = {
    r"\bg(o|oes|oing|one|went) on (from|with|where|in|until)\b": "continue, resume",
    r"\bwhich alone\b": "only ... can",
    r"\b(anew|afresh)\b": "again, new, restart",
    r"\bhears?\b|\bheard\b": "check, notice",
    r"\bforet(ell|old)": "predict",
    r"\bwish(es)?\b": "option, setting",
    r"\bat the door\b": "before the search starts",
    r"\bspeaks?\b|\bspoken\b": "use, know, have",
    r"\b(is|are|be|was|were) told\b|\btells? (the|how|what|which|whether)\b": "show, state, distinguish",
    r"\bas said\b|\bsays so\b|\bcan be said\b": "as described, state, express",
    r"\breads? [\w ]*\boff\b|\bread off\b": "derive from, estimate from",
    r"\bcut off\b|\bcut short\b": "interrupted",
    r"\bstand in for\b|\bstands for it\b|\bstood\b|\bstands? (at|beyond|twice|already)\b": "replace, be",
    r"\bwhat came\b": "what was found",
    r"(?<!there )\b(is|are) no (formula|file|folder|column|table|law file)s?\b": "is not a",
    r"\balike\b": "in the same way",
    r"\bbut for\b": "except",
    r"\bmend(ed)?\b|\bforgiv(e|en|es)\b|\bto the letter\b|\bby heart\b": "fix, ignore, exactly, from memory",
    r"\bhe\b|\bhis\b|\bhim\b": "the user",
}
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "srbench" / "README.md"]
SOURCES = [path for folder in ("src", "benchmarks", "examples", "srbench") for path in (ROOT / folder).rglob("*.py")]
# Their docstrings are shown by --help or by help().
SHOWN = ("cli", "estimator.py", "equation.py", "errors.py", "presets.py")


def places(text, path, first_line=1):
    """Where a text has a stilted phrase: file, line, phrase, and what to write."""
    found = []
    for phrase, usual in STILTED.items():
        for match in re.finditer(phrase, text, re.IGNORECASE):
            line = first_line + text.count("\n", 0, match.start())
            found.append(f"{path.relative_to(ROOT)}:{line}: {match[0]!r}, rather: {usual}")
    return found


def docstrings(tree):
    """The docstrings of a module, its classes and its functions that have no underscore in front."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    owners = [node for node in ast.walk(tree) if isinstance(node, kinds) and ast.get_docstring(node) is not None]
    return {id(node.body[0].value): getattr(node, "name", "") for node in owners}


def shown_strings(path):
    """The strings of a module that a user may read, each with its line."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    owners = docstrings(tree)
    shows_docstrings = any(name in path.parts for name in SHOWN)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            is_shown = shows_docstrings and not owners[id(node)].startswith("_") if id(node) in owners else True
            if is_shown:
                yield node.value, node.lineno


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_are_in_plain_english(path):
    assert not places(path.read_text(encoding="utf-8"), path)


def test_messages_and_help_are_in_plain_english():
    found = [place for path in SOURCES for text, line in shown_strings(path) for place in places(text, path, line)]
    assert not found, "\n".join(found)


def test_a_stilted_phrase_is_found_with_its_line():
    (place,) = places("The search\nbegan anew.", ROOT / "README.md")
    assert place == "README.md:2: 'anew', rather: again, new, restart"
