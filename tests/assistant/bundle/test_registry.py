"""Finding, using, installing and removing bundles."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fake_bundle import write_manifest

from assistant.bundle import install as install_module
from assistant.bundle.install import install
from assistant.bundle.reader import Bundle
from assistant.bundle.registry import (
    DEFAULT_NAME,
    current,
    find,
    listing,
    location,
    previous,
    remove,
    replaced_path,
    use,
)
from assistant.bundle.verify import problems
from assistant.errors import BundleDamaged, BundleError, BundleNotFound


@pytest.fixture
def bundles(tmp_path: Path) -> Path:
    return tmp_path / "data" / "bundles"


@pytest.fixture
def shipped(bundle_dir: Path, tmp_path: Path) -> Path:
    """A folder with one shipped bundle, under the default's name."""
    folder = tmp_path / "shipped"
    shutil.copytree(bundle_dir, folder / DEFAULT_NAME)
    write_manifest(folder / DEFAULT_NAME, DEFAULT_NAME)
    return folder


def visible(bundles: Path) -> list[str]:
    return sorted(path.name for path in bundles.iterdir() if not path.name.startswith("current"))


def test_install_copies_checks_and_opens(bundle_dir: Path, bundles: Path) -> None:
    bundle = install(bundle_dir, bundles)
    assert bundle.root == bundles / "harbour"
    assert problems(bundle) == []
    assert visible(bundles) == ["harbour"]
    assert find("harbour", bundles).manifest == bundle.manifest
    assert stat_mode(bundles) == 0o700


def stat_mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_zip_installs_the_same(bundle_dir: Path, bundles: Path, tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "harbour"), "zip", bundle_dir)
    assert problems(install(Path(archive), bundles)) == []


def test_a_second_install_replaces_the_first(bundle_dir: Path, bundles: Path) -> None:
    install(bundle_dir, bundles)
    (bundle_dir / "MODEL_CARD.md").write_text("newer")
    write_manifest(bundle_dir)
    assert install(bundle_dir, bundles).read("MODEL_CARD.md") == b"newer"
    assert visible(bundles) == ["harbour"]


@pytest.mark.parametrize("damage", ["flip", "missing", "extra", "link"])
def test_a_damaged_bundle_leaves_the_installed_one_alone(bundle_dir: Path, bundles: Path, damage: str) -> None:
    install(bundle_dir, bundles)
    card = bundle_dir / "MODEL_CARD.md"
    if damage == "flip":
        card.write_text("# harbour\n")
    elif damage == "missing":
        card.unlink()
    elif damage == "extra":
        (bundle_dir / "weights.pkl").write_bytes(b"\x80\x04.")
    else:
        card.unlink()
        card.symlink_to("/etc/hostname")
    with pytest.raises(BundleDamaged):
        install(bundle_dir, bundles)
    assert visible(bundles) == ["harbour"]
    assert problems(find("harbour", bundles)) == []


def test_an_installed_bundle_does_not_install_over_itself(bundle_dir: Path, bundles: Path) -> None:
    installed = install(bundle_dir, bundles)
    with pytest.raises(BundleError, match="already"):
        install(installed.root, bundles)
    assert problems(installed) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_named(bundle_dir: Path, bundles: Path) -> None:
    bundles.mkdir(parents=True, mode=0o500)
    with pytest.raises(BundleError, match="Permission denied"):
        install(bundle_dir, bundles)


def test_a_file_in_the_folders_place_is_named(bundle_dir: Path, bundles: Path) -> None:
    bundles.parent.mkdir(parents=True)
    bundles.write_text("no folder")
    with pytest.raises(BundleError, match=str(bundles)):
        install(bundle_dir, bundles)


def test_a_kill_between_the_renames_leaves_the_old_bundle_in_use(bundle_dir: Path, bundles: Path) -> None:
    install(bundle_dir, bundles)
    (bundles / "harbour").rename(replaced_path("harbour", bundles))
    assert problems(find("harbour", bundles)) == []
    install(bundle_dir, bundles)  # And the next install clears up.
    assert visible(bundles) == ["harbour"]


def test_a_kill_at_any_moment_leaves_a_sound_bundle(bundle_dir: Path, bundles: Path) -> None:
    install(bundle_dir, bundles)
    code = (
        "import sys; from pathlib import Path; from assistant.bundle.install import install\n"
        "print('ready', flush=True)\n"
        "while True: install(Path(sys.argv[1]), Path(sys.argv[2]))"
    )
    root = Path(__file__).resolve().parents[3]
    for delay in (0.0, 0.005, 0.02, 0.05):
        command = [sys.executable, "-c", code, str(bundle_dir), str(bundles)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
        assert problems(find("harbour", bundles)) == []


def test_old_leftovers_go_and_fresh_ones_stay(bundle_dir: Path, bundles: Path) -> None:
    old, fresh = bundles / ".incoming-old", bundles / ".incoming-fresh"
    old.mkdir(parents=True)
    fresh.mkdir()
    long_ago = time.time() - 2 * install_module._LEFTOVER_SECONDS
    os.utime(old, (long_ago, long_ago))
    install(bundle_dir, bundles)
    assert not old.exists()
    assert fresh.exists()


def test_find_by_name_path_and_default(bundle_dir: Path, bundles: Path, shipped: Path) -> None:
    assert find(None, bundles, shipped).root == shipped / DEFAULT_NAME
    assert find(str(bundle_dir), bundles, shipped).root == bundle_dir
    assert current(bundles) == DEFAULT_NAME
    with pytest.raises(BundleNotFound, match=f"'nothing'.*{DEFAULT_NAME}"):
        find("nothing", bundles, shipped)
    with pytest.raises(BundleNotFound):
        find("../harbour", bundles, shipped)
    with pytest.raises(BundleNotFound):
        find("none.zip", bundles, shipped)


def test_an_installed_bundle_hides_the_shipped_one(bundle_dir: Path, bundles: Path, shipped: Path) -> None:
    write_manifest(bundle_dir, DEFAULT_NAME)
    install(bundle_dir, bundles)
    assert location(DEFAULT_NAME, bundles, shipped) == bundles / DEFAULT_NAME
    remove(DEFAULT_NAME, bundles)
    assert location(DEFAULT_NAME, bundles, shipped) == shipped / DEFAULT_NAME


def test_use_is_remembered_and_can_be_undone(bundle_dir: Path, bundles: Path, shipped: Path) -> None:
    install(bundle_dir, bundles)
    use("harbour", bundles, shipped)
    use("harbour", bundles, shipped)
    assert current(bundles) == "harbour"
    assert previous(bundles) == DEFAULT_NAME
    assert find(None, bundles, shipped).manifest.name == "harbour"
    use(previous(bundles) or "", bundles, shipped)
    assert (current(bundles), previous(bundles)) == (DEFAULT_NAME, "harbour")


def test_use_of_what_cannot_answer_changes_nothing(bundle_dir: Path, bundles: Path, shipped: Path) -> None:
    install(bundle_dir, bundles)
    (bundles / "harbour" / "manifest.json").write_text("{}")
    with pytest.raises(BundleDamaged):
        use("harbour", bundles, shipped)
    with pytest.raises(BundleNotFound):
        use("nothing", bundles, shipped)
    assert current(bundles) == DEFAULT_NAME


def test_removing_the_bundle_in_use_returns_to_the_default(bundle_dir: Path, bundles: Path, shipped: Path) -> None:
    install(bundle_dir, bundles)
    use("harbour", bundles, shipped)
    remove("harbour", bundles)
    assert current(bundles) == DEFAULT_NAME
    assert visible(bundles) == []
    for name in ("harbour", "../shipped", DEFAULT_NAME):
        with pytest.raises(BundleNotFound):
            remove(name, bundles)


def test_the_list_names_what_is_broken(bundle_dir: Path, bundles: Path, shipped: Path) -> None:
    install(bundle_dir, bundles)
    (bundles / "harbour" / "manifest.json").write_text("{}")
    broken, sound = listing(bundles, shipped)
    assert (broken.name, broken.shipped, broken.bundle) == ("harbour", False, None)
    assert "schema_version" in broken.problem
    assert (sound.name, sound.shipped, sound.current, sound.problem) == (DEFAULT_NAME, True, True, "")


def test_a_broken_choice_is_named(bundles: Path, shipped: Path) -> None:
    bundles.mkdir(parents=True)
    (bundles / "current.json").write_text(json.dumps({"current": 3}))
    with pytest.raises(BundleError, match=r"current\.json"):
        find(None, bundles, shipped)


def test_a_bundle_is_read_from_its_zip_without_installing(bundle_dir: Path, bundles: Path, tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "harbour"), "zip", bundle_dir)
    assert isinstance(find(archive, bundles), Bundle)
