"""`lamplight ask` in all its forms: what is on stdout, on stderr, in the history, and the exit code."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assistant.cli import main
from assistant.commands.jsonl import MAX_LINE, Line, batches, parse_line
from assistant.paths import home
from assistant.store.database import Store

ROOT = Path(__file__).parents[3]
REPLY_KEYS = {
    "question", "kind", "text", "answer_id", "confidence", "closest", "source", "generated", "bundle", "device",
    "timing_ms",
}  # fmt: skip


def stored() -> list[tuple[str, str, str | None]]:
    """Question, state and kind of everything in the history."""
    path = home().database
    if not path.exists():
        return []
    with Store.open(path) as store:
        turns = [turn for item in store.conversations() for turn in store.turns(item.id)]
        return [(turn.question, turn.state, turn.kind) for turn in turns]


def start(*arguments: str) -> subprocess.Popen[bytes]:
    """Start `lamplight` in a process of its own, with pipes."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "assistant", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe)


def test_text_on_stdout_narration_on_stderr(bundle_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "What causes the tides?", "--bundle", str(bundle_dir)]) == 0
    out, err = capfd.readouterr()
    assert out.strip()
    assert "[" not in out.splitlines()[0]
    assert err.startswith("[")
    assert stored()[0][:2] == ("What causes the tides?", "complete")


def test_json_is_the_reply_object(bundle_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--bundle", str(bundle_dir), "ask", "--json", "--no-save", "--beam", "2", "Do gulls steal food?"]) == 0
    out, err = capfd.readouterr()
    record = json.loads(out)
    assert set(record) == REPLY_KEYS
    assert record["question"] == "Do gulls steal food?"
    assert 0 <= record["confidence"] <= 1
    assert record["bundle"]["name"] == "harbour"
    assert err == ""
    assert stored() == []


def test_words_are_joined_and_a_dash_reads_stdin(
    bundle_dir: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["ask", "--json", "--bundle", str(bundle_dir), "how", "do", "waves", "form?"]) == 0
    assert json.loads(capfd.readouterr().out)["question"] == "how do waves form?"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbfhow do waves \xff form?\n")))
    assert main(["ask", "--json", "--bundle", str(bundle_dir), "-"]) == 0
    assert json.loads(capfd.readouterr().out)["question"] == "how do waves \ufffd form?"


def test_the_help_card_needs_no_bundle(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "I want to end my life", "--bundle", "/nowhere/at/all", "--country", "NZ"]) == 0
    out, err = capfd.readouterr()
    assert "call or text 1737" in out
    assert "alerts nobody" in err
    assert stored() == [("I want to end my life", "complete", "crisis")]


def test_no_broken_setting_stands_before_the_help_card(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAMPLIGHT_DEVICE", "nonsense")
    assert main(["ask", "I want to end my life"]) == 0
    out, err = capfd.readouterr()
    assert "findahelpline.com" in out
    assert "LAMPLIGHT_DEVICE" in err


def test_the_locale_is_a_suggestion_only(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert main(["ask", "I want to end my life", "--no-save"]) == 0
    out, err = capfd.readouterr()
    assert "TelefonSeelsorge" not in out
    assert "--country DE" in err
    monkeypatch.setenv("LAMPLIGHT_COUNTRY", "DE")
    assert main(["ask", "I want to end my life", "--no-save"]) == 0
    assert "TelefonSeelsorge" in capfd.readouterr().out


def test_jsonl_keeps_the_order_and_goes_on(bundle_dir: Path) -> None:
    lines = [
        b'{"question": "What causes the tides?"}',
        b"not json",
        b'{"question": "and how high are they?", "previous": "What causes the tides?"}',
        b"",
        b'{"question": "I want to end my life"}',
        b'["a list"]',
        b'{"question": 3}',
        b'{"question": "  "}',
        b'{"question": "x", "previous": 1}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"question": "lone \\ud800 surrogate", "n": 1e999, "n": NaN}',
        b'{"question": "Do gulls steal food?"}',
    ]
    out, err = start("ask", "--jsonl", "--bundle", str(bundle_dir)).communicate(b"\n".join(lines), timeout=60)
    records = [json.loads(line) for line in out.splitlines()]
    kinds = ["error" if "error" in record else record["question"] for record in records]
    assert kinds == [
        "What causes the tides?", "error", "and how high are they?", "I want to end my life", "error", "error",
        "error", "error", "error", "error", "lone ? surrogate", "Do gulls steal food?",
    ]  # fmt: skip
    assert records[1]["error"].startswith("line 2 is not JSON")
    assert records[3]["kind"] == "crisis"
    assert b"7 of 13 lines could not be read" in err
    assert stored() == []


def test_jsonl_answers_each_line_as_it_comes(bundle_dir: Path) -> None:
    process = start("ask", "--jsonl", "--bundle", str(bundle_dir))
    assert process.stdin is not None
    assert process.stdout is not None
    for question in ("Do gulls steal food?", "How do waves form?"):
        process.stdin.write(json.dumps({"question": question}).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["question"] == question
    process.communicate(timeout=20)
    assert process.returncode == 0


def test_lines_that_are_too_long_are_thrown_away() -> None:
    long = b'{"question": "' + b"x" * (3 * MAX_LINE) + b'"}'
    found = [line for batch in batches(io.BytesIO(b"a\n" + long + b"\nb\n" + long + b"\nc")) for line in batch]
    assert found == [b"a", None, b"b", None, b"c"]
    assert "longer than" in parse_line(None, 2).error
    assert [line for batch in batches(io.BytesIO(b"")) for line in batch] == []


def test_a_byte_order_mark_is_no_error() -> None:
    assert parse_line(b'\xef\xbb\xbf{"question": "q"}', 1) == Line("q")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ask", ""], "empty"),
        (["ask", "  "], "empty"),
        (["ask", "--jsonl", "question"], "--jsonl"),
        (["ask", "--jsonl", "--json"], "--jsonl"),
        (["ask", "q", "--beam", "0"], "--beam"),
        (["ask", "q", "--beam", "many"], "--beam"),
        (["ask", "q", "--device", "tpu"], "--device"),
        (["ask", "q", "--country", "England"], "--country"),
        (["ask", "q", "--nonsense"], "--nonsense"),
        (["nonsense"], "nonsense"),
        (["history", "show", "x"], "nothing is stored"),
        ([], "the chat needs a terminal"),
    ],
)
def test_usage_errors_are_one_line_and_two(
    arguments: list[str], words: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert main(arguments) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("lamplight: ")
    assert len(err.splitlines()) == 1
    assert words in err


def test_a_missing_bundle_is_one_line_and_one(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "how do waves form?", "--bundle", "no-such\x1b[31m"]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert "\x1b" not in err
    assert stored() == [("how do waves form?", "failed", None)]


def test_a_damaged_bundle_is_one_line_and_one(bundle_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    curated = bundle_dir / "curated.jsonl"
    curated.write_bytes(curated.read_bytes()[:-1] + b"x")
    assert main(["ask", "how do waves form?", "--bundle", str(bundle_dir), "--no-save"]) == 1
    assert len(capfd.readouterr().err.splitlines()) == 1


def test_a_damaged_history_costs_a_line_not_the_answer(bundle_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = home().create().database
    path.write_bytes(b"rubbish" * 1000)
    assert main(["ask", "how do waves form?", "--bundle", str(bundle_dir)]) == 0
    out, err = capfd.readouterr()
    assert out.strip()
    assert "not stored" in err
    assert path.read_bytes() == b"rubbish" * 1000


def test_an_interrupted_answer_is_kept_as_a_question(
    bundle_dir: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> object:
        raise KeyboardInterrupt

    # the interrupt has to come while the model works, which is too short to hit from outside
    monkeypatch.setattr("assistant.commands.ask.open_engine", interrupted)
    assert main(["ask", "how do waves form?", "--bundle", str(bundle_dir)]) == 130
    assert capfd.readouterr().err == "lamplight: interrupted\n"
    assert stored() == [("how do waves form?", "cancelled", None)]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_control_c_ends_a_stream_with_130(bundle_dir: Path) -> None:
    process = start("ask", "--jsonl", "--bundle", str(bundle_dir))
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b'{"question": "How do waves form?"}\n')
    process.stdin.flush()
    process.stdout.readline()
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err == b"lamplight: interrupted\n"


def test_a_reader_that_leaves_is_no_error(bundle_dir: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "assistant", "ask", "how do waves form?", "--no-save", "--bundle", str(bundle_dir)]
    process = subprocess.run(command, cwd=ROOT, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert process.returncode == 0
    assert b"Traceback" not in process.stderr
    assert b"Broken" not in process.stderr
