"""`lamplight doctor`: is all well, and what is this program."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import click

from assistant.commands.console import emit, emit_json, table
from assistant.commands.context import Session, common_options
from assistant.errors import LamplightError

_LIBRARIES = ("onnxruntime-gpu", "onnxruntime", "tokenizers", "numpy", "textual", "sqlite-utils", "click")

ABOUT = (
    "Lamplight gives information from a curated set, offline, on this machine.",
    "It is a program: no person, no clinician. It alerts nobody, whatever is written to it.",
    "Stored here, in your own files only: your conversations and your feedback."
    " `lamplight ask --no-save` stores nothing; `lamplight history purge` deletes everything.",
)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@common_options
def doctor(as_json: bool, session: Session) -> None:
    """Check the installation: versions, bundle and hashes, history, which device answers and why.

    Ends with exit code 1 when something is wrong.
    """
    report = examine(session)
    if as_json:
        emit_json(report)
    else:
        table(_rows(report))
        emit()
        for line in ABOUT:
            emit(line)
    if report["problems"]:
        more = f" (and {len(report['problems']) - 1} more)" if len(report["problems"]) > 1 else ""
        raise LamplightError(f"{report['problems'][0]}{more}")


def examine(session: Session) -> dict[str, Any]:
    """Return the whole report as one record; `problems` holds a line for each thing that is wrong."""
    from assistant.answering.safety import CHECKED
    from assistant.store.diagnosis import diagnose

    problems: list[str] = []
    store = asdict(diagnose(session.paths.database))
    if store["problem"]:
        problems.append(store["problem"])
    bundle = _bundle_report(session, problems)
    return {
        "lamplight": _version("lamplight"),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
        "libraries": {name: found for name in _LIBRARIES if (found := _version(name))},
        "folders": {
            "config": str(session.paths.config_dir),
            "data": str(session.paths.data_dir),
            "state": str(session.paths.state_dir),
        },
        "country": session.settings.country,
        "numbers_checked": CHECKED.isoformat(),
        "bundle": bundle,
        "device": _device_report(session, problems) if bundle["problem"] is None else None,
        "store": store,
        "about": list(ABOUT),
        "problems": problems,
    }


def _bundle_report(session: Session, problems: list[str]) -> dict[str, Any]:
    from assistant.bundle.verify import problems as wrong_files

    report: dict[str, Any] = {"name": None, "version": None, "path": None, "files": 0, "problem": None}
    try:
        found = session.bundle()
        report |= {"name": found.manifest.name, "version": found.manifest.version}
        report |= {"path": str(found.root), "files": len(found.manifest.files)}
        wrong = wrong_files(found)
    except LamplightError as error:
        wrong = [str(error)]
    if wrong:
        report["problem"] = wrong[0]
        problems.extend(wrong)
    return report


def _device_report(session: Session, problems: list[str]) -> dict[str, Any] | None:
    from assistant.inference.sessions import choose_device, runtime_versions

    try:
        return asdict(choose_device(session.bundle(), session.settings.device)) | runtime_versions()
    except LamplightError as error:
        problems.append(str(error))
        return None


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _rows(report: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "lamplight", report["lamplight"] or "not installed as a package"
    yield "python", f"{report['python']} ({sys.executable})"
    yield "platform", report["platform"]
    yield "libraries", ", ".join(f"{name} {number}" for name, number in report["libraries"].items())
    yield "folders", ", ".join(dict.fromkeys(report["folders"].values()))
    yield "country", f"{report['country'] or 'not told'}; numbers checked {report['numbers_checked']}"
    yield from _bundle_rows(report["bundle"])
    device = report["device"]
    if device is not None:
        yield "device", f"{device['device']}, variant {device['variant']}: {device['reason']}"
        yield "runtime", f"onnxruntime {device['onnxruntime']}, {device['provider']}"
    yield from _store_rows(report["store"])
    for problem in report["problems"]:
        yield "PROBLEM", problem
    if not report["problems"]:
        yield "result", "all is well"


def _bundle_rows(bundle: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if bundle["name"]:
        yield "bundle", f"{bundle['name']} {bundle['version']} in {bundle['path']}"
    whole = f"all {bundle['files']} files are as they were made"
    yield "hashes", "NOT all right" if bundle["problem"] else whole


def _store_rows(store: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "sqlite", store["sqlite_version"]
    if not store["exists"]:
        yield "history", f"{store['path']}: not there yet"
        return
    state = "NOT all right" if store["problem"] else "integrity ok"
    yield "history", f"{store['path']}: {store['bytes'] / 1024:.0f} KB, schema {store['schema']}, {state}"
    counts = (f"{store[name]} {name}" for name in ("conversations", "turns", "backups"))
    yield "stored", ", ".join(counts)
