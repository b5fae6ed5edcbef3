"""Lamplight's two palettes: lamp light on a night-blue wall, and ink on warm paper."""

from __future__ import annotations

from textual.theme import Theme

DARK = "lamplight"
LIGHT = "lamplight-light"

_NIGHT = Theme(
    name=DARK,
    primary="#7fb5b5",
    secondary="#9aa8c7",
    accent="#e6b566",
    foreground="#d9dce3",
    background="#14171d",
    surface="#1b1f27",
    panel="#20252e",
    success="#8fbf8f",
    warning="#e0a458",
    error="#d98080",
    dark=True,
    variables={
        "footer-background": "#14171d",
        "footer-description-foreground": "#8b93a3",
        "footer-key-foreground": "#e6b566",
        "border-blurred": "#333a47",
        "block-cursor-background": "#2d4a4d",
        "block-cursor-foreground": "#f2f4f7",
        "block-cursor-text-style": "none",
        "block-cursor-blurred-background": "#252b36",
        "scrollbar": "#2c323e",
        "scrollbar-hover": "#3d4555",
        "scrollbar-active": "#7fb5b5",
        "scrollbar-background": "#14171d",
        "scrollbar-background-hover": "#14171d",
        "scrollbar-background-active": "#14171d",
        "scrollbar-corner-color": "#14171d",
        "quiet": "#8b93a3",
        "faint": "#4a5262",
        "asked": "#20313a",
    },
)

_PAPER = Theme(
    name=LIGHT,
    primary="#1f6f6b",
    secondary="#4d5d86",
    accent="#9a5b0c",
    foreground="#2a2d33",
    background="#faf7f1",
    surface="#f3eee4",
    panel="#ece5d8",
    success="#3f7d3f",
    warning="#a3620a",
    error="#a83c3c",
    dark=False,
    variables={
        "footer-background": "#faf7f1",
        "footer-description-foreground": "#6a6860",
        "footer-key-foreground": "#9a5b0c",
        "border-blurred": "#d5ccbb",
        "block-cursor-background": "#cfe3df",
        "block-cursor-foreground": "#14312f",
        "block-cursor-text-style": "none",
        "block-cursor-blurred-background": "#e9e1d2",
        "scrollbar": "#d9d0bf",
        "scrollbar-hover": "#c4b9a4",
        "scrollbar-active": "#1f6f6b",
        "scrollbar-background": "#faf7f1",
        "scrollbar-background-hover": "#faf7f1",
        "scrollbar-background-active": "#faf7f1",
        "scrollbar-corner-color": "#faf7f1",
        "quiet": "#6a6860",
        "faint": "#b5ab99",
        "asked": "#dcebe6",
    },
)

THEMES = (_NIGHT, _PAPER)

NEAR_COLOURS = {
    "quiet": ("foreground-muted", "foreground"),
    "faint": ("foreground-disabled", "foreground"),
    "asked": ("panel", "surface"),
}
"""For themes that are not ours: which of their colours takes the place of each of ours."""
