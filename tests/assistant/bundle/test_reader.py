"""Opening and reading a bundle, from a directory and from a .zip, sound and damaged."""

from __future__ import annotations

import json
import os
import stat
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
from fake_bundle import write_manifest

from assistant.bundle.reader import Bundle
from assistant.bundle.verify import problems, verify
from assistant.errors import BundleDamaged, BundleError, BundleNotFound, BundleUnsupported


def zipped(folder: Path, target: Path) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder).as_posix())
    return target


def test_a_directory_and_its_zip_hold_the_same(bundle_dir: Path, tmp_path: Path) -> None:
    folder, archive = Bundle.open(bundle_dir), Bundle.open(zipped(bundle_dir, tmp_path / "harbour.zip"))
    assert folder.manifest == archive.manifest
    assert folder.entries() == archive.entries()
    assert np.array_equal(folder.embeddings(), archive.embeddings())
    assert problems(folder) == problems(archive) == []


def test_entries_are_read_whole(fake_bundle: Bundle) -> None:
    entries = {entry.id: entry for entry in fake_bundle.entries()}
    assert entries["tides"].source is not None
    assert entries["tides"].source.url == "https://harbour.example/tides"
    assert entries["waves"].source is None
    assert entries["tides"].rows == (0, 4)
    assert entries["hello"].kind == "smalltalk"
    assert entries["out-of-scope"].question == ""
    vectors = fake_bundle.embeddings()
    assert vectors.dtype == np.float32
    assert len(vectors) == max(entry.rows[1] for entry in entries.values())


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(BundleNotFound, match="nowhere"):
        Bundle.open(tmp_path / "nowhere")
    with pytest.raises(BundleDamaged, match=r"manifest\.json"):
        Bundle.open(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BundleUnsupported, match="neither"):
        Bundle.open(tmp_path / "pipe")


@pytest.mark.parametrize("relative", ["curated.jsonl", "calibration.json", "variants/cpu-int8/encoder_model.onnx"])
def test_a_flipped_bit_is_found(bundle_dir: Path, relative: str) -> None:
    data = bytearray((bundle_dir / relative).read_bytes())
    data[len(data) // 3] ^= 4
    (bundle_dir / relative).write_bytes(data)
    bundle = Bundle.open(bundle_dir)
    with pytest.raises(BundleDamaged, match=relative):
        bundle.read(relative)
    with pytest.raises(BundleDamaged, match=relative):
        verify(bundle)


def test_all_problems_are_listed(bundle_dir: Path) -> None:
    (bundle_dir / "curated.npy").unlink()
    (bundle_dir / "MODEL_CARD.md").write_text("longer than it was")
    bundle = Bundle.open(bundle_dir)
    assert len(problems(bundle)) == 2
    with pytest.raises(BundleDamaged, match="1 more"):
        verify(bundle)


def test_a_file_too_many_is_found(bundle_dir: Path) -> None:
    (bundle_dir / "evil.so").write_bytes(b"\x7fELF")
    with pytest.raises(BundleDamaged, match=r"evil\.so"):
        verify(Bundle.open(bundle_dir))


def test_an_allowed_file_that_the_manifest_does_not_name_is_found(bundle_dir: Path) -> None:
    (bundle_dir / "variants" / "cpu-fp32").mkdir()
    (bundle_dir / "variants" / "cpu-fp32" / "encoder_model.onnx").write_bytes(b"")
    with pytest.raises(BundleDamaged, match="not named in the manifest"):
        verify(Bundle.open(bundle_dir))


def test_links_and_pipes_are_not_followed(bundle_dir: Path, tmp_path: Path) -> None:
    card = bundle_dir / "MODEL_CARD.md"
    outside = tmp_path / "outside.md"
    card.rename(outside)
    card.symlink_to(outside)
    bundle = Bundle.open(bundle_dir)
    with pytest.raises(BundleDamaged, match="MODEL_CARD"):
        bundle.read("MODEL_CARD.md")
    card.unlink()
    os.mkfifo(card)
    with pytest.raises(BundleDamaged, match="not a regular file"):
        bundle.read("MODEL_CARD.md")
    with pytest.raises(BundleDamaged, match="MODEL_CARD"):
        verify(bundle)


def test_a_linked_folder_is_refused(bundle_dir: Path, tmp_path: Path) -> None:
    (bundle_dir / "variants").rename(tmp_path / "variants")
    (bundle_dir / "variants").symlink_to(tmp_path / "variants")
    with pytest.raises(BundleDamaged, match="variants"):
        verify(Bundle.open(bundle_dir))


def rewritten(bundle_dir: Path, relative: str, data: bytes) -> Bundle:
    (bundle_dir / relative).write_bytes(data)
    write_manifest(bundle_dir)
    return Bundle.open(bundle_dir)


LINE = {"id": "a", "question": "A?", "answer": "B.", "rows": [0, 1]}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"id": None}, "id"),
        ({"question": ""}, "question"),
        ({"answer": 3}, "answer"),
        ({"kind": "joke"}, "joke"),
        ({"rows": [3, 3]}, "rows"),
        ({"rows": [-1, 3]}, "rows"),
        ({"rows": "all"}, "rows"),
        ({"related": "b"}, "related"),
        ({"kind": "smalltalk"}, "no topic"),
    ],
)
def test_a_wrong_entry_is_named_with_its_line(bundle_dir: Path, change: dict[str, object], named: str) -> None:
    bundle = rewritten(bundle_dir, "curated.jsonl", json.dumps({**LINE, **change}).encode())
    with pytest.raises(BundleDamaged, match=named) as failed:
        bundle.entries()
    assert "curated.jsonl" in str(failed.value)


def test_an_id_given_twice_is_refused(bundle_dir: Path) -> None:
    line = json.dumps(LINE).encode()
    with pytest.raises(BundleDamaged, match="twice"):
        rewritten(bundle_dir, "curated.jsonl", line + b"\n" + line).entries()


def npy(array: np.ndarray, tmp_path: Path) -> bytes:
    np.save(tmp_path / "x.npy", array, allow_pickle=True)
    return (tmp_path / "x.npy").read_bytes()


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(3, np.float32),
        np.zeros((3, 3), np.int64),
        np.full((2, 2), np.nan, np.float16),
        np.array([[{"a": 1}]], dtype=object),
    ],
)
def test_vectors_of_another_kind_are_refused(bundle_dir: Path, tmp_path: Path, array: np.ndarray) -> None:
    with pytest.raises(BundleDamaged, match=r"curated\.npy"):
        rewritten(bundle_dir, "curated.npy", npy(array, tmp_path)).embeddings()


@pytest.mark.parametrize("keep", [0, 20, 200])
def test_cut_vectors_are_refused(bundle_dir: Path, keep: int) -> None:
    data = (bundle_dir / "curated.npy").read_bytes()
    with pytest.raises(BundleDamaged, match=r"curated\.npy"):
        rewritten(bundle_dir, "curated.npy", data[:keep]).embeddings()


def test_vectors_that_claim_terabytes_are_refused(bundle_dir: Path) -> None:
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, 4), }"
    header = header.ljust(117) + b"\n"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
    with pytest.raises(BundleDamaged, match=r"curated\.npy"):
        rewritten(bundle_dir, "curated.npy", data).embeddings()


def test_too_few_vectors_are_found(bundle_dir: Path, tmp_path: Path) -> None:
    bundle = rewritten(bundle_dir, "curated.npy", npy(np.zeros((2, 32), np.float16), tmp_path))
    with pytest.raises(BundleDamaged, match="there are 2"):
        verify(bundle)


# Archives


def hostile(tmp_path: Path, *entries: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    path = tmp_path / "hostile.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return path


def with_mode(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


@pytest.mark.parametrize(
    "name",
    [
        "../x",
        "/x",
        "C:\\x",
        "a\\..\\x",
        "MODEL_CARD.MD",
        "CON",
        "variants/../manifest.json",
        "variants/x/y.onnx",
        "x/",
    ],
)
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BundleDamaged, match="may not be"):
        Bundle.open(hostile(tmp_path, (name, b"")))


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_links_and_devices_in_an_archive_are_refused(tmp_path: Path, kind: int) -> None:
    with pytest.raises(BundleDamaged, match="no regular file"):
        Bundle.open(hostile(tmp_path, (with_mode("manifest.json", kind | 0o644), b"/etc/passwd")))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_doubled_entry_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BundleDamaged, match="doubled"):
        Bundle.open(hostile(tmp_path, ("manifest.json", b"{}"), ("manifest.json", b"{}")))


def test_a_bomb_is_not_unpacked(bundle_dir: Path, tmp_path: Path) -> None:
    path = zipped(bundle_dir, tmp_path / "bomb.zip")
    with zipfile.ZipFile(path) as archive:
        kept = [(name, archive.read(name)) for name in archive.namelist() if not name.endswith("/")]
    data = [(name, b"\0" * (64 << 20) if name == "MODEL_CARD.md" else data) for name, data in kept]
    bundle = Bundle.open(hostile(tmp_path, *data))
    with pytest.raises(BundleDamaged, match="longer than"):
        bundle.read("MODEL_CARD.md")


def test_too_many_entries_are_refused_before_they_are_read(tmp_path: Path) -> None:
    path = hostile(tmp_path, *((f"f{number}", b"") for number in range(70)))
    with pytest.raises(BundleDamaged, match="at most 64"):
        Bundle.open(path)


@pytest.mark.parametrize("keep", [0, 10, 0.5, 0.98])
def test_a_cut_archive_is_refused(bundle_dir: Path, tmp_path: Path, keep: float) -> None:
    path = zipped(bundle_dir, tmp_path / "cut.zip")
    data = path.read_bytes()
    path.write_bytes(data[: int(keep if keep > 1 else keep * len(data))])
    with pytest.raises(BundleDamaged, match=r"cut\.zip"):
        Bundle.open(path)


def test_any_flipped_bit_of_an_archive_is_found(bundle_dir: Path, tmp_path: Path) -> None:
    path = zipped(bundle_dir, tmp_path / "flipped.zip")
    sound = path.read_bytes()
    whole = {name: Bundle.open(path).source.read(name) for name in Bundle.open(path).source.names()}
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(sound), 60):
        data = bytearray(sound)
        data[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(data)
        try:
            bundle = Bundle.open(path)
            verify(bundle)
        except BundleError:
            continue
        # Dates, modes and comments may flip unseen; what is read may not.
        assert {name: bundle.source.read(name) for name in bundle.source.names()} == whole
