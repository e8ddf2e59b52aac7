"""`mosaic fit` with several targets: one search, one law file and one report for each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mosaic_sr.cli.fit import FitRequest, check_request, run_fit
from mosaic_sr.cli.output import say
from mosaic_sr.cli.source import Source
from mosaic_sr.cli.words import names_in
from mosaic_sr.errors import InvalidSettings
from mosaic_sr.several_targets import constraints_of, file_word, numbered_path, refuse_shared_files
from mosaic_sr.table import column_names


def run_fits(request: FitRequest, words: list[str]) -> None:
    """Search for the law of each target that the words of --target name; all are checked before the first search."""
    targets = targets_in(words, request.source)
    if len(targets) == 1:
        run_fit(replace(request, source=request.source.of_target(targets[0])))
        return
    refuse_shared_files(targets)
    requests = [_of_target(request, target, targets) for target in targets]
    for own in requests:
        check_request(own)
    for number, own in enumerate(requests):
        if not request.is_quiet:
            if number:
                say("")
            say(f"target {own.source.target} ({number + 1} of {len(requests)})")
        run_fit(own)


def targets_in(words: list[str], source: Source) -> list[str]:
    """The targets by name: `a,b` are two of them, unless a column has this very name."""
    found: list[str] = []
    for word in words:
        has_several = "," in word and word not in column_names(source.input, None)
        found += (names_in([word]) or ()) if has_several else [word]
    if not found:
        raise InvalidSettings("--target names no column; name the column to explain")
    twice = next((name for name in found if found.count(name) > 1), None)
    if twice is not None:
        raise InvalidSettings(f"--target names {twice!r} twice; name each target once")
    return found


def _of_target(request: FitRequest, target: str, targets: list[str]) -> FitRequest:
    """The request for one of the targets: the others are no features, and files are named after the target."""
    others = [name for name in targets if name != target]

    def folder(path: Path | None) -> Path | None:
        return None if path is None else path / file_word(target)

    def file(path: Path | None) -> Path | None:
        return None if path is None else numbered_path(path, target)

    own = constraints_of(request.options.constraints, target, targets)
    return replace(
        request,
        options=replace(request.options, constraints=own),
        source=request.source.of_target(target, others),
        output=folder(request.output),
        resume=folder(request.resume),
        json=file(request.json),
        report=file(request.report),
    )
