"""Time until the chat's first paint and until it can answer; time and memory of one `lamplight ask`; where they go.

    python tests/benchmarks/startup.py [--bundle NAME|PATH] [--runs 7] [--json FILE]

The chat runs in a pseudo-terminal of 100 x 30, in a home folder of its own. First paint: the first bytes that hold
the input line's words. Ready: the mark of the status line that says which bundle answers. `ask` is a whole process,
from its start to its end, with the question stored, its peak memory as the kernel counted it. All figures are medians
over the runs, after one run that warms the disk's cache. Then the parts: what is imported (`-X importtime`) and what
opening a bundle is made of. POSIX only.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = [sys.executable, "-m", "assistant"]
QUESTION = "how is depression treated?"
PAINTED, READY = "sk a question", "●"
SIZE = struct.pack("HHHH", 30, 100, 0, 0)
PATIENCE = 20.0
CTRL_Q = b"\x11"
TARGETS = {"first paint": 0.6, "ask": 1.2, "ask, peak memory": 400.0}
UNITS = {"ask, peak memory": "MB"}

PARTS = """
import sys, time
marks = [("Python itself", time.perf_counter())]
def mark(name):
    marks.append((name, time.perf_counter()))
import click, assistant.cli, assistant.commands.ask
mark("import the command line")
import numpy, assistant.answering.engine
mark("import numpy and the engine")
import onnxruntime
mark("import onnxruntime")
import tokenizers
mark("import tokenizers")
from pathlib import Path
from assistant.bundle.registry import find
from assistant.inference import sessions
from assistant.inference.tokenizer import AnswerTokenizer, QuestionTokenizer
from assistant.bundle import manifest
bundle = find(sys.argv[1] or None, Path("/nonexistent"))
mark("read the manifest")
QuestionTokenizer.from_bytes(bundle.read(manifest.QUESTION_TOKENIZER), "", 128)
AnswerTokenizer.from_bytes(bundle.read(manifest.ANSWER_TOKENIZER), "")
mark("load both tokenizers")
variant = sessions._open_cpu(bundle, "", 0).report.variant
mark("open the model (tokenizer of questions again)")
for name in (manifest.ENCODER, manifest.DECODER):
    data = bundle.read(manifest.model_path(variant, name))
    mark(f"of which: read and hash {name}")
    runtime = sessions._onnxruntime()
    options = sessions._session_options(0, name == manifest.DECODER)
    runtime.InferenceSession(data, options, providers=[sessions.CPU_PROVIDER])
    mark(f"of which: session of {name}")
from assistant.answering.curated import CuratedIndex
CuratedIndex(bundle.entries(), bundle.embeddings())
mark("read the curated entries and vectors")
engine = assistant.answering.engine.Engine.open(bundle, "cpu")
mark("open the whole engine (all of these again)")
engine.answer(sys.argv[2])
mark("the first answer")
engine.answer(sys.argv[2])
mark("the second answer")
import assistant.store.database
mark("import the store")
for (_, before), (name, at) in zip(marks, marks[1:]):
    print(f"{1000 * (at - before):.1f}\\t{name}")
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; 0 when everything ran, whatever the figures."""
    options = _options(argv)
    with tempfile.TemporaryDirectory() as home:
        surroundings = _surroundings(Path(home), options.bundle)
        chats = [chat(surroundings) for _ in range(options.runs + 1)][1:]
        asks = [ask(surroundings) for _ in range(options.runs + 1)][1:]
        imports = slowest_imports(surroundings)
        parts = _parts(options.bundle, surroundings)
    rows = [
        _row("first paint", [first for first, _ in chats]),
        _row("ready to answer", [ready for _, ready in chats]),
        _row("ask", [seconds for seconds, _ in asks]),
        _row("ask, peak memory", [memory for _, memory in asks]),
    ]
    _print(rows, imports, parts)
    if options.json:
        load = os.getloadavg()[0]
        record = {"rows": rows, "imports_ms": imports, "parts_ms": parts, "runs": options.runs, "load": load}
        options.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bundle", default="", metavar="NAME|PATH", help="answer from it (default: the shipped one)")
    parser.add_argument("--runs", type=int, default=7, help="(default 7)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here too")
    return parser.parse_args(argv)


def _surroundings(home: Path, bundle: str) -> dict[str, str]:
    """Return the environment of every run: a home of its own, a country so that no welcome page covers the chat."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LAMPLIGHT_")}
    kept |= {"LAMPLIGHT_HOME": str(home), "LAMPLIGHT_COUNTRY": "GB", "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    kept["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    return kept | ({"LAMPLIGHT_BUNDLE": bundle} if bundle else {})


def ask(surroundings: dict[str, str]) -> tuple[float, float]:
    """Ask one question; return seconds and peak memory in MB of the whole process."""
    started = perf_counter()
    with subprocess.Popen(
        [*PROGRAM, "ask", QUESTION], env=surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        said = process.stderr.read() if process.stderr else b""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = perf_counter() - started
    if process.returncode:
        raise SystemExit(f"ask failed: {said.decode(errors='replace').strip()}")
    return seconds, usage.ru_maxrss / 1024  # kilobytes on Linux


def chat(surroundings: dict[str, str]) -> tuple[float, float]:
    """Start the chat, wait until it can answer, quit; return the seconds to both marks."""
    started = perf_counter()
    child, terminal = pty.fork()
    if child == 0:
        os.execve(sys.executable, PROGRAM, surroundings)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, SIZE)
    seen = b""
    marks: dict[str, float] = {}
    while len(marks) < 2 and perf_counter() - started < PATIENCE:
        if not select.select([terminal], [], [], 0.05)[0]:
            continue
        try:
            seen += os.read(terminal, 1 << 16)
        except OSError:
            break
        for mark in (PAINTED, READY):
            if mark not in marks and mark.encode() in seen:
                marks[mark] = perf_counter() - started
    _leave(child, terminal)
    if len(marks) < 2:
        raise SystemExit(f"the chat never showed {PAINTED!r} and {READY!r}; its last bytes: {seen[-500:]!r}")
    return marks[PAINTED], marks[READY]


def _leave(child: int, terminal: int) -> None:
    """Quit with the chat's own key, and read on until it is gone: a full pipe would hold it."""
    try:
        os.write(terminal, CTRL_Q)
        while os.read(terminal, 1 << 16):
            pass
    except OSError:
        pass
    os.waitpid(child, 0)
    os.close(terminal)


def slowest_imports(surroundings: dict[str, str], count: int = 12) -> dict[str, float]:
    """Return the modules whose own code takes longest when `ask` is imported and run, in milliseconds."""
    command = [sys.executable, "-X", "importtime", "-m", "assistant", "ask", "--no-save", QUESTION]
    lines = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True).stderr.splitlines()
    own: dict[str, float] = {}
    for line in lines:
        fields = line.removeprefix("import time:").split("|")
        if line.startswith("import time:") and fields[0].strip().isdigit():
            package = fields[2].strip().split(".")[0]
            own[package] = own.get(package, 0.0) + int(fields[0]) / 1000
    return dict(sorted(own.items(), key=lambda item: -item[1])[:count])


def _parts(bundle: str, surroundings: dict[str, str], runs: int = 3) -> dict[str, float]:
    """Return the median milliseconds of each part of answering one question."""
    times: dict[str, list[float]] = {}
    for _ in range(runs):
        command = [sys.executable, "-c", PARTS, bundle, QUESTION]
        result = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True)
        for line in result.stdout.splitlines():
            value, name = line.split("\t")
            times.setdefault(name, []).append(float(value))
    return {name: median(values) for name, values in times.items()}


def _row(name: str, values: Sequence[float]) -> dict[str, Any]:
    target = TARGETS.get(name)
    return {
        "name": name,
        "unit": UNITS.get(name, "s"),
        "median": round(median(values), 3),
        "least": round(min(values), 3),
        "most": round(max(values), 3),
        "target": target,
        "reached": None if target is None else median(values) < target,
    }


def _print(rows: Sequence[dict[str, Any]], imports: dict[str, float], parts: dict[str, float]) -> None:
    print(f"{'':20}{'median':>10}{'least':>10}{'most':>10}{'target':>10}")
    for row in rows:
        digits = 0 if row["unit"] == "MB" else 3
        numbers = "".join(f"{row[key]:10.{digits}f}" for key in ("median", "least", "most"))
        verdict = {True: "reached", False: "MISSED", None: ""}[row["reached"]]
        print(f"{row['name']:20}{numbers}{row['target'] or '':>10} {row['unit']} {verdict}".rstrip())
    print("\nOwn time of imported packages in `ask`, ms (with -X importtime, which slows them):")
    print(", ".join(f"{name} {value:.0f}" for name, value in imports.items()))
    print("\nParts of one question, ms:")
    for name, value in parts.items():
        print(f"{value:8.1f}  {name}")


if __name__ == "__main__":
    raise SystemExit(main())
