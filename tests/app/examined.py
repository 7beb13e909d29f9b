"""The doctor's report, with what must hold of every one."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from goldgen.app.checks import Check
from goldgen.app.doctor import DoctorOptions, DoctorReport, doctor
from goldgen.app.models import ModelSettings

KEY = "sk-test-0123456789abcdef"


def examined(db: Path, settings: ModelSettings, *, load: bool = False) -> DoctorReport:
    report = asyncio.run(doctor(DoctorOptions(db, settings, load)))
    for check in report.checks:
        assert "\n" not in check.found + check.advice
        assert check.state == "ok" or check.advice, f"{check.name} says what to do"
    assert KEY[:10] not in str(report)
    return report


def by_name(report: DoctorReport) -> Mapping[str, Check]:
    found = {check.name: check for check in report.checks}
    assert len(found) == len(report.checks)
    return found


def states(report: DoctorReport) -> Mapping[str, str]:
    return {check.name: check.state for check in report.checks}
