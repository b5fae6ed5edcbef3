"""Make the pictures of README from the running chat: `python docs/make_pictures.py` writes docs/*.svg.

The real application runs without a terminal, on the shipped bundle and a history of its own in a
temporary folder; what a person would type is typed.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from textual.pilot import Pilot  # noqa: E402

from assistant import paths  # noqa: E402
from assistant.settings import Settings  # noqa: E402
from assistant.store.database import Store  # noqa: E402
from assistant.ui.app import LamplightApp, engine_factory  # noqa: E402

PATIENCE = 30.0


@dataclass(frozen=True)
class Picture:
    """One picture: its size in cells, and what is done first ("? text" asks, the rest are keys)."""

    name: str
    size: tuple[int, int]
    steps: tuple[str, ...]
    theme: str = "lamplight"


PICTURES = (
    Picture(
        "chat", (112, 32), ("? How is depression treated?", "? Since I lost my job I lie awake until 4. What can I do?")
    ),
    Picture("chat-light", (112, 32), ("? What can I do about a panic attack?", "ctrl+o"), "lamplight-light"),
    Picture("start", (80, 24), ()),
    Picture("help-card", (80, 32), ("f9",)),
)


async def draw(picture: Picture, bundle: str | None, folder: Path) -> Path:
    """Run the chat for one picture and return the file that was written."""
    with tempfile.TemporaryDirectory() as home, Store.open(Path(home) / "lamplight.db") as store:
        store.set_value("welcomed", "yes")
        for title in ("How can I sleep better?", "What is cognitive behavioural therapy?"):
            store.add_question(store.create_conversation(), title)
        settings = Settings(bundle=bundle, country="GB", theme=picture.theme)
        app = LamplightApp(engine_factory(settings, paths.home(home)), store, settings)
        async with app.run_test(size=picture.size) as pilot:
            await wait(pilot, app)
            for step in picture.steps:
                await do(pilot, app, step)
            svg = app.export_screenshot(title="Lamplight")
    target = folder / f"{picture.name}.svg"
    target.write_text(svg, encoding="utf-8")
    return target


async def do(pilot: Pilot[int], app: LamplightApp, step: str) -> None:
    """Type one step and wait until the chat is at rest."""
    if step.startswith("? "):
        app.chat.composer.put(step[2:])
        await pilot.press("enter")
    else:
        await pilot.press(step)
    await wait(pilot, app)


async def wait(pilot: Pilot[int], app: LamplightApp) -> None:
    """Wait until the model is loaded and no answer is under way; raises TimeoutError."""
    async with asyncio.timeout(PATIENCE):
        await pilot.pause(0.3)
        while app.brain.loading or app.chat.busy:
            await pilot.pause(0.05)
        await pilot.pause(0.3)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write all pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--bundle", help="a bundle's name or folder (default: the bundle in use)")
    parser.add_argument("--to", type=Path, default=ROOT / "docs", help="the folder for the pictures")
    chosen = parser.parse_args(arguments)
    for picture in PICTURES:
        print(asyncio.run(draw(picture, chosen.bundle, chosen.to)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
