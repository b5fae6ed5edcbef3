"""Speed of decoding: our engine, CTranslate2 and the report's way, on the same weights, questions and greatest length.

    python tests/benchmarks/decode.py CHECKPOINT [--count 8] [--rounds 11] [--json FILE]

CHECKPOINT is what `lamplight-train fit` wrote. Its weights are exported here to the graphs that bundles hold
(cpu-int8, cpu-fp32) and converted to CTranslate2 models (float32, int8). First our fp32 engine, CTranslate2 in
float32 and the report's loop must give the same greedy answers token for token; if not, the benchmark says so and
fails. Then every contestant answers the questions once a round, greedy and with 4 beams, one at a time and 8 at a
time, in turn, so that noise hits all alike. Times go from text to token ids, tokenizing and encoder included.

The table gives the median over the rounds. The ratios compare our best with their best: in any precision and with any
of the numbers of threads given (that one has the target), then with the same number of threads. Beside each ratio of
medians stand its range over the rounds and the ratio of the fastest rounds, which other work on the machine touches
least; small models live in the processor's cache, which such work takes from them. The report's way answers only the
first --report-count questions, greedy, one at a time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from contestants import CT2, OURS, REPORT, Contestant, Process, Run  # noqa: E402

# Threads of a library that has just run go on spinning for some milliseconds.
SETTLE = 0.03
MODES = tuple(product((1, 4), (1, 8)))  # beams, batch
TARGETS = {("greedy", 1): 1.5, ("beam 4", 1): 1.0, ("beam 4", 8): 1.0}
REPORT_TARGET = 20.0


@dataclass
class Figures:
    """All passes of one contestant in one mode."""

    contestant: Contestant
    beams: int
    batch: int
    runs: list[Run] = field(default_factory=list)

    def milliseconds(self, count: int | None = None) -> list[float]:
        """Milliseconds an answer in each round, over all questions or (one at a time) the first `count`."""
        return [1000 * sum(run.seconds[:count]) / (count or len(run.answers)) for run in self.runs]

    def row(self) -> dict[str, Any]:
        """Return the table's row."""
        times = self.milliseconds()
        tokens = sum(len(answer) for answer in self.runs[0].answers) / len(self.runs[0].answers)
        return {
            "engine": self.contestant.engine,
            "form": self.contestant.form,
            "threads": self.contestant.threads,
            "search": search(self.beams),
            "batch": self.batch,
            "tokens_per_answer": round(tokens, 1),
            "ms_per_answer": round(median(times), 2),
            "fastest": round(min(times), 2),
            "slowest": round(max(times), 2),
            "tokens_per_second": round(1000 * tokens / median(times)),
        }


def search(beams: int) -> str:
    """Name a search."""
    return "greedy" if beams == 1 else f"beam {beams}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; 0 when all answers agree, whatever the figures."""
    options = _options(argv)
    with tempfile.TemporaryDirectory() as scratch:
        folder = prepare(options.checkpoint, Path(scratch))
        questions = _questions(folder, options.questions, options.count)
        limit = options.max_tokens or _greatest_length(folder)
        contestants = _contestants(folder, limit, options.threads)
        with _running(contestants, questions) as processes:
            disagreement = compare_answers(processes, len(questions), options.report_count)
            if disagreement:
                print(disagreement, file=sys.stderr)
                return 1
            figures = measure(processes, len(questions), options.rounds, options.report_count)
    ratios = compare(figures, min(options.report_count, len(questions)))
    print_table([one.row() for one in figures], ratios)
    if options.json:
        record = {
            "machine": _machine(),
            "questions": len(questions),
            "max_tokens": limit,
            "rounds": options.rounds,
            "rows": [one.row() for one in figures],
            "ratios": ratios,
        }
        options.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path, help="what `lamplight-train fit` wrote")
    parser.add_argument("--questions", type=Path, metavar="FILE", help="one a line (default: the checkpoint's own)")
    parser.add_argument("--count", type=int, default=8, help="how many questions (default 8)")
    parser.add_argument("--max-tokens", type=int, help="greatest length of an answer (default: the checkpoint's)")
    parser.add_argument("--rounds", type=int, default=11, help="(default 11)")
    parser.add_argument("--threads", type=int, nargs="+", default=[2, 1], help="(default 2 1; the report's way: first)")
    parser.add_argument("--report-count", type=int, default=2, help="questions for the report's way (default 2)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here too")
    return parser.parse_args(argv)


def prepare(given: Path, scratch: Path) -> Path:
    """Write every contestant's model of the checkpoint `given` below `scratch`, and return that folder."""
    import onnx
    from ct2_model import convert as convert_ctranslate2

    from assistant.bundle.manifest import QUESTION_TOKENIZER, model_path
    from export.convert import convert_decoder, convert_encoder
    from export.quantize import CPU_FP32, CPU_INT8, to_variant
    from export.signatures import DECODER, ENCODER
    from trainer import checkpoint

    folder = scratch / "checkpoint"
    shutil.copytree(checkpoint.find(given), folder)
    model, loaded = checkpoint.load_model(folder)
    weights = checkpoint.weights_of(model)
    for kind, quantization in (("float32", None), ("int8", "int8")):
        convert_ctranslate2(loaded.preset.model, weights, folder / f"ct2-{kind}", quantization)
    for name, graph in ((ENCODER, convert_encoder(model)), (DECODER, convert_decoder(model))):
        for variant in (CPU_FP32, CPU_INT8):
            path = folder / "bundle" / model_path(variant, f"{name}.onnx")
            path.parent.mkdir(parents=True, exist_ok=True)
            onnx.save(to_variant(graph, variant), path)
    shutil.copy(folder / "question_tokenizer.json", folder / "bundle" / QUESTION_TOKENIZER)
    return folder


def _questions(folder: Path, file: Path | None, count: int) -> list[str]:
    from trainer import checkpoint

    if file is not None:
        return [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()][:count]
    return [entry.question for entry in checkpoint.load(folder).table.entries][:count]


def _greatest_length(folder: Path) -> int:
    from trainer import checkpoint

    return checkpoint.load(folder).preset.model.max_answer_tokens


def _contestants(folder: Path, limit: int, threads: Sequence[int]) -> list[Contestant]:
    forms = ((OURS, "cpu-int8"), (OURS, "cpu-fp32"), (CT2, "int8"), (CT2, "float32"))
    found = [Contestant(engine, form, number, folder, limit) for number in threads for engine, form in forms]
    return found + [Contestant(REPORT, form, threads[0], folder, limit) for form in ("growing", "fixed")]


@contextmanager
def _running(contestants: Sequence[Contestant], questions: Sequence[str]) -> Iterator[list[Process]]:
    processes = [Process(contestant, questions) for contestant in contestants]
    try:
        yield processes
    finally:
        for process in processes:
            process.stop()


def compare_answers(processes: Sequence[Process], count: int, report_count: int) -> str:
    """Return where the exact engines disagree in greedy decoding, or an empty text. Warms everybody up."""
    exact: dict[str, Run] = {}
    for process in processes:
        asked = min(count, report_count) if process.contestant.engine == REPORT else count
        run = process.run(1, 1, asked)
        if process.contestant.form in ("cpu-fp32", "float32", "growing", "fixed"):
            exact[process.contestant.name] = run
    first, *others = exact.items()
    for name, run in others:
        for number, (mine, theirs) in enumerate(zip(first[1].answers, run.answers, strict=False)):
            if mine != theirs:
                return f"answer {number} differs: {first[0]} gives {mine}, {name} gives {theirs}"
    return ""


def measure(processes: Sequence[Process], count: int, rounds: int, report_count: int) -> list[Figures]:
    """Let all answer in turn, round by round; the turns rotate, so that nobody always follows the same one."""
    figures = {(process, mode): Figures(process.contestant, *mode) for process in processes for mode in MODES}
    for number, (beams, batch) in product(range(-1, rounds), MODES):  # Round -1 warms up.
        for process in (*processes[number % len(processes) :], *processes[: number % len(processes)]):
            reported = process.contestant.engine == REPORT
            if reported and (beams, batch) != (1, 1):
                continue
            time.sleep(SETTLE)
            run = process.run(beams, batch, min(count, report_count) if reported else count)
            if number >= 0:
                figures[process, (beams, batch)].runs.append(run)
    return [one for one in figures.values() if one.runs]


def compare(figures: Sequence[Figures], report_count: int) -> list[dict[str, Any]]:
    """Return our best against the best of CTranslate2 in each mode, and against the report's way."""
    numbers = list(dict.fromkeys(one.contestant.threads for one in figures))
    ratios = []
    for beams, batch in MODES:
        mode = [one for one in figures if (one.beams, one.batch) == (beams, batch)]
        name = f"{search(beams)}, batch {batch}"
        ratios.append(_ratio(mode, CT2, name, TARGETS.get((search(beams), batch))))
        for number in numbers if len(numbers) > 1 else ():
            alike = [one for one in mode if one.contestant.threads == number]
            ratios.append(_ratio(alike, CT2, f"  the same with {number} thread{'s' * (number > 1)}"))
    alone = [one for one in figures if (one.beams, one.batch) == (1, 1)]
    return [*ratios, _ratio(alone, REPORT, "greedy, batch 1", REPORT_TARGET, report_count)]


def _ratio(
    mode: Sequence[Figures], rival: str, name: str, target: float | None = None, count: int | None = None
) -> dict[str, Any]:
    def best(engine: str) -> Figures:
        fit = (one for one in mode if one.contestant.engine == engine)
        return min(fit, key=lambda one: median(one.milliseconds(count)))

    ours, theirs = best(OURS), best(rival)
    pairs = zip(ours.milliseconds(count), theirs.milliseconds(count), strict=True)
    each = [their / our for our, their in pairs]
    value = median(theirs.milliseconds(count)) / median(ours.milliseconds(count))
    return {
        "mode": name.strip(),
        "ours": ours.contestant.name,
        "theirs": theirs.contestant.name,
        "ratio": round(value, 2),
        "least": round(min(each), 2),
        "most": round(max(each), 2),
        "of_fastest": round(min(theirs.milliseconds(count)) / min(ours.milliseconds(count)), 2),
        "target": target,
        "reached": None if target is None else value >= target,
    }


def print_table(rows: Sequence[dict[str, Any]], ratios: Sequence[dict[str, Any]]) -> None:
    """Print both tables."""
    print(
        f"{'engine':13}{'form':10}{'threads':>8}{'search':>8}{'batch':>6}{'tokens':>8}{'ms/answer':>11}"
        f"{'fastest':>9}{'slowest':>9}{'tokens/s':>10}"
    )
    for row in sorted(rows, key=lambda row: (row["search"] != "greedy", row["batch"], row["ms_per_answer"])):
        print(
            f"{row['engine']:13}{row['form']:10}{row['threads']:8}{row['search']:>8}{row['batch']:6}"
            f"{row['tokens_per_answer']:8}{row['ms_per_answer']:11.2f}{row['fastest']:9.2f}{row['slowest']:9.2f}"
            f"{row['tokens_per_second']:10}"
        )
    print()
    for ratio in ratios:
        verdict = {True: "reached", False: "MISSED", None: ""}[ratio["reached"]]
        target = f"target {ratio['target']} {verdict}" if ratio["target"] is not None else ""
        print(
            f"{ratio['mode']}: {ratio['ours']} is {ratio['ratio']:.2f} times as fast as {ratio['theirs']} "
            f"({ratio['least']:.2f} to {ratio['most']:.2f}, fastest {ratio['of_fastest']:.2f}) {target}".rstrip()
        )


def _machine() -> dict[str, Any]:
    from importlib.metadata import version

    names = ("ctranslate2", "tensorflow", "keras", "numpy")
    return {
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "versions": {name: version(name) for name in names},
    }


if __name__ == "__main__":
    raise SystemExit(main())
