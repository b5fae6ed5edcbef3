"""The chat in a real terminal: start, first-start page, question, answer, quit."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assistant.bundle.reader import Bundle

SOCKET = f"lamplight-test-{os.getpid()}"

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


def tmux(*arguments: str) -> str:
    """Run a tmux command on a server of our own and return its output."""
    done = subprocess.run(["tmux", "-L", SOCKET, "-f", "/dev/null", *arguments], capture_output=True, text=True)
    return done.stdout


def screen() -> str:
    return tmux("capture-pane", "-p", "-t", "chat")


def wait_for(condition: Callable[[str], bool], seconds: float = 20.0) -> str:
    """Return the screen once it meets `condition`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition(screen()):
            return screen()
        time.sleep(0.1)
    raise AssertionError(f"this is on the screen:\n{screen()}")


@pytest.fixture
def start(tiny_bundle: Path, tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """A starter of the chat in a tmux pane of 100 by 30."""
    root = Path(__file__).resolve().parents[3]

    def begin(options: str = "") -> None:
        environment = f"LAMPLIGHT_HOME={shlex.quote(str(tmp_path / 'home'))} PYTHONPATH={shlex.quote(str(root))}"
        program = f"{shlex.quote(sys.executable)} -m assistant --bundle {shlex.quote(str(tiny_bundle))} {options}"
        command = f"env -u LC_ALL LANG=C.UTF-8 {environment} {program}; echo code=$?; exec sleep 60"
        tmux("kill-session", "-t", "chat")
        tmux("new-session", "-d", "-s", "chat", "-x", "100", "-y", "30", command)

    yield begin
    tmux("kill-server")


def test_a_visit(start: Callable[[str], None], tiny_bundle: Path) -> None:
    question = next(entry.question for entry in Bundle.open(tiny_bundle).entries() if entry.kind == "topic")
    start("")
    wait_for(lambda text: "Welcome to Lamplight" in text and "Where are you?" in text)
    tmux("send-keys", "-t", "chat", "Enter")
    wait_for(lambda text: "What would you like to know?" in text)
    tmux("send-keys", "-t", "chat", "-l", question)
    tmux("send-keys", "-t", "chat", "Enter")
    text = wait_for(lambda text: "You  " in text and ("Answered" in text or "Closest question" in text))
    assert question.split()[0] in text
    tmux("send-keys", "-t", "chat", "F9")
    wait_for(lambda text: "findahelpline.com" in text)
    tmux("send-keys", "-t", "chat", "Escape")
    wait_for(lambda text: "Ask a question" in text)
    tmux("send-keys", "-t", "chat", "C-q")
    wait_for(lambda text: "code=0" in text)
