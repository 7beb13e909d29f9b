"""Every figure of a report, drawn once."""

from goldgen.evaluation.report import Report
from goldgen.report.comparison import differences_figure, means_figure
from goldgen.report.cutoffs import curve_figures
from goldgen.report.figure import ReportFigure
from goldgen.report.proof import control_figures
from goldgen.report.similarity import similarity_figures
from goldgen.report.weakness import slices_figure


def figures(report: Report) -> tuple[ReportFigure, ...]:
    """In the order of the page. Those that a report has nothing for are left out.

    Raises SettingsError if matplotlib is not installed.
    """
    measured = means_figure(report) if report.retrievers else None
    found = (
        *control_figures(report),
        measured,
        differences_figure(report),
        *curve_figures(report),
        *similarity_figures(report),
        slices_figure(report),
    )
    return tuple(figure for figure in found if figure is not None)
