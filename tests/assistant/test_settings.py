"""Settings: flag over environment over file over default; every bad value is named with its place."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path

import pytest

from assistant.errors import SettingsError, UsageError
from assistant.paths import home
from assistant.settings import Settings, load, save_value


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A config.toml that is not there yet."""
    return tmp_path / "config" / "config.toml"


def test_each_source_comes_before_the_next(file: Path) -> None:
    assert load({}, {}, file) == Settings()
    file.parent.mkdir()
    file.write_text('country = "GB"\nbeams = 2\ndevice = "cpu"\nunknown = 1\n')
    assert load({}, {}, file) == Settings(country="GB", beams=2, device="cpu")
    env = {"LAMPLIGHT_BEAMS": "3", "LAMPLIGHT_COUNTRY": "uk", "LAMPLIGHT_PLAIN": "yes", "LAMPLIGHT_DEVICE": ""}
    assert load({}, env, file) == Settings(country="GB", beams=3, device="cpu", plain=True)
    assert load({"beams": 4, "device": None}, env, file).beams == 4


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("device = 'tpu'", "device"),
        ("beams = 0", "beams"),
        ("beams = true", "beams"),
        ("country = 'England'", "country"),
        ("plain = 'maybe'", "plain"),
        ("bundle = 3", "bundle"),
        ("device = [", "not valid TOML"),
    ],
)
def test_a_bad_value_is_named_with_its_file(file: Path, text: str, named: str) -> None:
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(SettingsError, match=named) as caught:
        load({}, {}, file)
    assert str(file) in str(caught.value)


def test_odd_files_are_one_line(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes("device = 'cpu'".encode("utf-16"))
    with pytest.raises(SettingsError, match="not valid TOML"):
        load({}, {}, file)
    file.unlink()
    file.mkdir()
    with pytest.raises(SettingsError, match="cannot read"):
        load({}, {}, file)


def test_flags_and_variables_are_named() -> None:
    with pytest.raises(UsageError, match="--beam"):
        load({"beams": 99}, {}, None)
    with pytest.raises(SettingsError, match="LAMPLIGHT_DEVICE"):
        load({}, {"LAMPLIGHT_DEVICE": "gpu"}, None)


def test_a_value_is_saved_beside_the_others(file: Path) -> None:
    save_value(file, "country", "gb")
    save_value(file, "enter_sends", False)
    save_value(file, "theme", 'quote " and \\ and é and \x7f')
    assert load({}, {}, file) == Settings(country="GB", enter_sends=False, theme='quote " and \\ and é and \x7f')
    save_value(file, "country", None)
    assert load({}, {}, file).country is None
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    with pytest.raises(UsageError):
        save_value(file, "nonsense", 1)
    with pytest.raises(UsageError):
        save_value(file, "beams", 100)


def test_what_others_wrote_into_the_file_stays(file: Path) -> None:
    file.parent.mkdir()
    file.write_text('[mine]\nlist = [1, "two", {three = 3}]\nwhen = 2026-01-02\n"odd key" = 1.5\n')
    before = tomllib.loads(file.read_text())
    save_value(file, "country", "FR")
    assert tomllib.loads(file.read_text()) == before | {"country": "FR"}


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    with pytest.raises(SettingsError, match="blocked"):
        save_value(blocked / "config.toml", "country", "GB")


def test_everything_lies_under_one_home(tmp_path: Path) -> None:
    paths = home(tmp_path / "h", {}).create()
    for path in (paths.database, paths.config_file, paths.bundles_dir, paths.log_file, paths.backups_dir):
        assert path.is_relative_to(tmp_path / "h")
    assert stat.S_IMODE((tmp_path / "h").stat().st_mode) == 0o700
    assert home(None, {"LAMPLIGHT_HOME": str(tmp_path / "e")}).data_dir == tmp_path / "e"
    assert home("~/x", {}).data_dir == Path("~/x").expanduser()


def test_without_a_home_the_platform_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    if os.name == "posix" and os.uname().sysname == "Linux":
        paths = home(None, {})
        assert paths.database == tmp_path / "data" / "lamplight" / "lamplight.db"
        assert paths.config_file == tmp_path / "config" / "lamplight" / "config.toml"


def test_homes_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="NUL"):
        home("a\0b", {})
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="cannot make the folder"):
        home(tmp_path / "file" / "x", {}).create()
