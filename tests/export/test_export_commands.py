"""`lamplight-export` and `lamplight-build` as they are called: one line for each bad input, and nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.bundle.reader import Bundle
from assistant.bundle.verify import verify
from assistant.cli import main as lamplight
from export import build
from export import cli as exporter
from trainer import cli as train_cli

ROOT = Path(__file__).resolve().parent.parent.parent
HEAD = "question,answer\n"
ROWS = HEAD + "What is a?,An a.\nWhat is b?,A b.\n"
Call = Callable[..., tuple[int, str]]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run a command as its console script does: call("build", "x.csv", "-o", "out") -> exit code and stderr."""

    def run(program: str, *arguments: object) -> tuple[int, str]:
        main = {"build": build.main, "export": exporter.main, "train": train_cli.main}[program]
        monkeypatch.setattr(sys, "argv", [program, *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        return code, capsys.readouterr().err

    return run


def one_line(said: str, *parts: str) -> None:
    """Exactly one line, with these parts in it."""
    assert said.count("\n") == 1, said
    assert said.endswith("\n")
    for part in parts:
        assert part in said


def left(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if "lamplight-home" not in p.parts)


BAD_TABLES = {
    "empty file": (b"", "table.csv: is empty"),
    "blank file": (b"\n \n", "table.csv: is empty"),
    "no columns": (b"frage,antwort\na,b\n", "table.csv: no column question and no column answer; found frage, antwort"),
    "one column": (b"question\na\n", "table.csv: no column answer"),
    "wrong encoding": (HEAD.encode() + b"What?,caf\xe9\n", "table.csv, line 2: is not UTF-8"),
    "utf-16": (ROWS.encode("utf-16"), "table.csv"),
    "duplicate question": (
        (ROWS + "what is A?,c\n").encode(),
        "table.csv, line 4: the question 'what is a?' stands already",
    ),
    "duplicate id": (b"id,question,answer\nx,a?,b\nx,c?,d\n", "table.csv, line 3: the id 'x' stands already at"),
    "empty answer": ((ROWS + "What is c?,\n").encode(), "table.csv, line 4: the answer is empty"),
    "empty question": ((ROWS + " ,c\n").encode(), "table.csv, line 4: the question is empty"),
    "one row": ((HEAD + "What is a?,An a.\n").encode(), "table.csv: 1 question(s); a model needs at least 2"),
    "head only": (HEAD.encode(), "table.csv: 0 question(s)"),
    "long question": (
        (ROWS + f"{'what ' * 10_000},c\n").encode(),
        "line 4: the question has 49,999 characters; the limit is",
    ),
    "NUL bytes": (ROWS.encode() + b"\0,\0\n", "table.csv: holds NUL bytes"),
}


@pytest.mark.parametrize("program", ["build", "train"])
@pytest.mark.parametrize("case", BAD_TABLES)
def test_a_bad_table(call: Call, tmp_path: Path, program: str, case: str) -> None:
    content, message = BAD_TABLES[case]
    table = tmp_path / "table.csv"
    table.write_bytes(content)
    first = ["fit"] if program == "train" else []
    code, said = call(program, *first, table, "-o", tmp_path / "out", "--preset", "tiny")
    assert code == 1
    one_line(said, message, str(tmp_path))
    assert left(tmp_path) == ["table.csv"]


@pytest.mark.parametrize("program", ["build", "train"])
def test_a_table_that_is_not_there(call: Call, tmp_path: Path, program: str) -> None:
    first = ["fit"] if program == "train" else []
    code, said = call(program, *first, tmp_path / "nowhere.csv", "-o", tmp_path / "out", "--preset", "tiny")
    assert code == 1
    one_line(said, f"{tmp_path / 'nowhere.csv'}: no such file")
    assert left(tmp_path) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--preset", "huge"], "unknown preset 'huge': choose one of faq"),
        (["--variants", "cpu-int4"], "unknown variant 'cpu-int4': choose from cpu-int8"),
        (["--variants", "cuda-fp16"], "a bundle needs a variant for the CPU"),
        (["--variants", ""], "a bundle needs a variant for the CPU"),
        (["--name", "My Bundle"], "a bundle cannot be called 'My Bundle'"),
        (["--name", "con"], "a bundle cannot be called 'con'"),
        (["--epochs", "many"], "'many' is not a valid integer"),
        (["--epochs", "0", "--preset", "tiny"], "epochs=0 is out of range"),
        (["--encoder-heads", "7", "--preset", "tiny"], "encoder_heads=7 does not divide"),
        (["--calibration", "/nowhere"], "'/nowhere' does not exist"),
        (["--no-such-option"], "No such option"),
    ],
)
def test_bad_options_of_build(call: Call, tmp_path: Path, arguments: list[str], message: str) -> None:
    table = tmp_path / "table.csv"
    table.write_text(ROWS)
    code, said = call("build", table, "-o", tmp_path / "out", *arguments)
    assert code == 2
    one_line(said, message)
    assert left(tmp_path) == ["table.csv"]


def test_options_that_are_missing(call: Call, tmp_path: Path) -> None:
    code, said = call("build", tmp_path / "table.csv")
    assert code == 2
    one_line(said, "'--out'")
    code, said = call("export", "-o", tmp_path / "out")
    assert code == 2
    one_line(said, "'CHECKPOINT'")


@pytest.mark.parametrize("program", ["build", "export"])
def test_places_where_no_bundle_can_lie(call: Call, tmp_path: Path, tiny_run: Path, program: str) -> None:
    file, folder = tmp_path / "file", tmp_path / "folder"
    file.write_text("mine")
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    table = ROOT / "tests" / "data" / "money.csv"
    source = table if program == "build" else tiny_run
    for out, message in (
        (file / "money", f"{file} is no folder"),
        (file, "exists and is no bundle; it is left as it is"),
        (folder, "exists and is no bundle; it is left as it is"),
    ):
        code, said = call(program, source, "-o", out)
        assert code in (1, 2)
        one_line(said, message, str(out))
    assert left(tmp_path) == ["file", "folder", "folder/notes.txt"]


def test_no_permission_is_told_before_the_training(
    call: Call, tmp_path: Path, tiny_table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda _path, mode: not mode & os.W_OK)
    code, said = call("build", tiny_table, "-o", tmp_path / "money", "--preset", "tiny")
    assert code == 1
    one_line(said, f"{tmp_path / 'money'}: cannot be made, there is no permission")


def test_export_of_what_is_no_checkpoint(call: Call, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    code, said = call("export", tmp_path / "run", "-o", tmp_path / "money")
    assert code == 1
    one_line(said, f"{tmp_path / 'run'}", "no checkpoint")
    assert left(tmp_path) == ["run"]


def test_another_backend_is_refused_before_the_training(
    call: Call, tmp_path: Path, tiny_table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERAS_BACKEND", "jax")
    code, said = call("build", tiny_table, "-o", tmp_path / "money", "--preset", "tiny")
    assert code == 2
    one_line(said, "KERAS_BACKEND must be unset or tensorflow")


def test_without_the_extra_packages_one_line_says_which(tmp_path: Path, tiny_table: Path) -> None:
    program = (
        "import sys; sys.modules['keras'] = None; sys.modules['tensorflow'] = None\n"
        f"sys.argv = ['lamplight-build', {str(tiny_table)!r}, '-o', {str(tmp_path / 'money')!r}, '--preset', 'tiny']\n"
        "from export.build import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    one_line(done.stderr, "lamplight-build: keras is not installed; `pip install 'lamplight[train]'`")
    assert left(tmp_path) == []


def test_the_bundle_is_named_after_its_place(tmp_path: Path) -> None:
    for name, wanted in (("Money_Talk", "money-talk"), ("money-1.2", "money-1.2"), ("my bundle.zip", "my-bundle")):
        assert exporter.check_options(tmp_path / name, None) == wanted


@pytest.mark.slow
def test_one_command_from_a_table_to_a_bundle_that_answers(
    tmp_path: Path, tiny_table: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "money"
    command = [sys.executable, "-m", "export.build", str(tiny_table), "-o", str(out), "--preset", "tiny"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{out}\n"
    # Only our own lines: TensorFlow's start-up is muted.
    for foreign in ("WARNING", "absl", "I0000", "E0000", "cuda_", "oneDNN", "Warning"):
        assert foreign not in done.stderr, done.stderr
    verify(Bundle.open(out))
    assert sorted(path.name for path in out.parent.iterdir()) == ["money"]
    assert lamplight(["ask", "--json", "--no-save", "--bundle", str(out), "What is a budget?"]) == 0
    reply = json.loads(capfd.readouterr().out)
    assert reply["answer_id"] == "budget"
    assert reply["text"].startswith("A budget is a plan for your money.")
    assert reply["bundle"]["name"] == "money"


@pytest.mark.slow
def test_ctrl_c_in_the_middle_leaves_nothing(tmp_path: Path, tiny_table: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = [sys.executable, "-m", "export.build", str(tiny_table), "-o", str(tmp_path / "place" / "money")]
    with subprocess.Popen(
        [*command, "--preset", "tiny", "--epochs", "20000"],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(scratch)},
    ) as process:
        assert process.stderr is not None
        process.stderr.readline()  # The first line comes when training is about to begin.
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.wait(60) == 130
    assert rest.splitlines()[-1].startswith("lamplight-build: interrupted"), rest
    assert "Traceback" not in rest
    assert left(tmp_path) == ["scratch"]
