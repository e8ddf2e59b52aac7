"""`report` and `plot` of the estimator, which imports what draws them only when they are asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mosaic_sr.pictures.observed import Observed


class PictureMethods:
    """What an estimator shows of its law; `_keep_rows` is called at the end of a fit."""

    def report(self, path: str | Path, X: Any = None, y: Any = None, sigma: Any = None) -> None:
        """Write a report as one HTML file: law, front, pictures, data.

        X, y: the rows to show; by default those of the fit. A model from `load` has none and needs them.
        sigma: standard errors of y, where X and y are given.
        """
        from mosaic_sr.files import refuse_unwritable
        from mosaic_sr.html_report.page import write_report
        from mosaic_sr.html_report.sections import Origin

        check_is_fitted(self)
        refuse_unwritable(Path(path))
        own: Any = self
        write_report(Path(path), own.outcome_, self._rows_to_show(X, y, sigma), Origin("", own._plain_settings()))

    def plot(
        self, kind: str = "fit", X: Any = None, y: Any = None, sigma: Any = None, index: int | None = None
    ) -> Figure:
        """A matplotlib figure of the law, or of equation number `index` of `equations_`.

        kind: "fit" (predicted against measured values), "residuals" (in order, against columns, their distribution),
            "response" (the curve over each column, with rows and band) or "front" (loss over complexity).
        X, y, sigma: as for `report`.
        """
        from mosaic_sr.pictures.plotting import check_kind, draw_kind

        check_is_fitted(self)
        check_kind(kind)
        own: Any = self
        return draw_kind(kind, own.outcome_, self._rows_to_show(X, y, sigma), own.get_best(index))

    def _keep_rows(self, X: Any, y: Any, sigma: Any) -> None:
        from mosaic_sr.pictures.observed import observe_arrays

        own: Any = self
        seen = observe_arrays(own.outcome_, own._columns(X), y, sigma)
        self._rows = replace(seen, are_of_search=True)

    def _rows_to_show(self, X: Any, y: Any, sigma: Any) -> Observed:
        from mosaic_sr.pictures.observed import rows_to_show

        own: Any = self
        kept: Observed | None = getattr(self, "_rows", None)
        return rows_to_show(own.outcome_, kept, None if X is None else own._columns(X), y, sigma)
