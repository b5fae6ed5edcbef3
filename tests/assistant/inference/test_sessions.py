"""The real onnxruntime over small hand-written graphs: caches, batches, devices, files that must not load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from fake_bundle import BOS, EOS, HISTORY_TOKEN, MAX_ANSWER, TOP_K, write_manifest
from onnx import helper

from assistant.bundle.reader import Bundle
from assistant.errors import BundleDamaged, BundleUnsupported, DeviceError, UsageError
from assistant.inference.decoding import DecodingOptions, beam_search, greedy
from assistant.inference.sessions import Model, choose_device, cuda_obstacle, default_threads, open_model

DECODER = "variants/cpu-int8/decoder_with_past_model.onnx"
OPTIONS = DecodingOptions(max_tokens=MAX_ANSWER, bos_id=BOS, eos_id=EOS)
QUESTIONS = ["What causes the tides?", "waves", "Which knot holds a boat?"]


@pytest.fixture(scope="module")
def model(fake_bundle: Bundle) -> Model:
    return open_model(fake_bundle, "cpu")


def test_embeddings_are_normalised_and_do_not_feel_their_neighbours(model: Model) -> None:
    together = model.encode(QUESTIONS)
    assert together.pooled.dtype == np.float32
    assert np.linalg.norm(together.pooled, axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    for row, question in enumerate(QUESTIONS):
        assert model.encode([question]).pooled[0] == pytest.approx(together.pooled[row], abs=1e-6)


def test_selecting_rows_drops_padding_that_none_needs(model: Model) -> None:
    together = model.encode(QUESTIONS)
    chosen = together.select([1])
    alone = model.encode([QUESTIONS[1]])
    assert chosen.mask.tolist() == alone.mask.tolist()
    for name, cache in alone.cross.items():
        assert chosen.cross[name] == pytest.approx(cache, abs=1e-6)


def test_a_step_returns_sorted_logprobs(model: Model) -> None:
    ids, logprobs = model.step_function(model.encode(QUESTIONS))(np.full(3, BOS), np.arange(3))
    assert ids.shape == logprobs.shape == (3, TOP_K)
    assert ids.dtype == np.int64
    assert (np.diff(logprobs, axis=1) <= 0).all()
    assert (logprobs <= 0).all()


def logprob_of(ids: np.ndarray, logprobs: np.ndarray, row: int, token: int) -> float:
    return float(logprobs[row, ids[row].tolist().index(token)])


def test_the_caches_follow_the_beams(model: Model) -> None:
    encoded = model.encode(["waves"])
    step = model.step_function(encoded, beams=2)
    step(np.array([BOS, BOS]), np.array([0, 1]))
    step(np.array([30, 90]), np.array([0, 1]))
    ids, logprobs = step(np.array([40, 50]), np.array([1, 0]))  # The rows change places.
    for row, told in enumerate(([BOS, 90, 40], [BOS, 30, 50])):
        fresh = model.step_function(encoded)
        for token in told:
            again = fresh(np.array([token]), np.array([0]))
        assert logprob_of(*again, 0, HISTORY_TOKEN) == pytest.approx(logprob_of(ids, logprobs, row, HISTORY_TOKEN))
    swapped = [logprob_of(ids, logprobs, row, HISTORY_TOKEN) for row in (0, 1)]
    assert abs(swapped[0] - swapped[1]) > 1e-3  # Else the test would see nothing.


def test_a_batch_decodes_as_each_question_alone(model: Model) -> None:
    together = greedy(model.step_function(model.encode(QUESTIONS)), 3, OPTIONS)
    for question, expected in zip(QUESTIONS, together, strict=True):
        alone = greedy(model.step_function(model.encode([question])), 1, OPTIONS)[0]
        assert alone.tokens == expected.tokens
        assert alone.score == pytest.approx(expected.score, abs=1e-5)


def test_one_beam_on_the_real_graph_is_greedy_and_more_find_the_same_answer(model: Model) -> None:
    encoded = model.encode(QUESTIONS)
    plain = greedy(model.step_function(encoded), 3, OPTIONS)
    for beams in (1, 4, TOP_K // 2):
        options = DecodingOptions(MAX_ANSWER, beams, bos_id=BOS, eos_id=EOS)
        found = beam_search(model.step_function(encoded, beams), 3, options)
        assert [best[0].tokens for best in found] == [one.tokens for one in plain]


def test_two_decodings_at_once_do_not_disturb_each_other(model: Model) -> None:
    first, second = (model.step_function(model.encode([question])) for question in QUESTIONS[:2])
    a, b = BOS, BOS
    mixed: list[list[int]] = [[], []]
    for _ in range(5):
        a, b = (int(step(np.array([token]), np.array([0]))[0][0, 0]) for step, token in ((first, a), (second, b)))
        mixed[0].append(a)
        mixed[1].append(b)
    for question, tokens in zip(QUESTIONS[:2], mixed, strict=True):
        alone = greedy(model.step_function(model.encode([question])), 1, OPTIONS)[0]
        assert list(alone.tokens[:5]) == tokens


def test_too_many_beams_are_refused(model: Model) -> None:
    with pytest.raises(UsageError, match="at most 8"):
        model.step_function(model.encode(["waves"]), beams=9)


def test_the_cpu_answers_when_asked(fake_bundle: Bundle) -> None:
    report = choose_device(fake_bundle, "cpu")
    assert (report.device, report.variant, report.provider) == ("cpu", "cpu-int8", "CPUExecutionProvider")
    assert 1 <= default_threads() <= 4
    with pytest.raises(UsageError, match="tpu"):
        open_model(fake_bundle, "tpu")


def test_without_cuda_auto_says_why_and_cuda_fails_in_one_line(fake_bundle: Bundle) -> None:
    obstacle = cuda_obstacle(fake_bundle)
    assert obstacle  # No driver here; on a GPU machine the bundle has no CUDA variant.
    report = choose_device(fake_bundle, "auto")
    assert report.device == "cpu"
    assert obstacle in report.reason
    with pytest.raises(DeviceError) as failed:
        open_model(fake_bundle, "cuda")
    assert obstacle in str(failed.value)
    assert "\n" not in str(failed.value)


def rewritten(bundle_dir: Path, relative: str, data: bytes) -> Bundle:
    """Put other bytes in a file's place, with a manifest that agrees."""
    (bundle_dir / relative).write_bytes(data)
    write_manifest(bundle_dir)
    return Bundle.open(bundle_dir)


@pytest.mark.parametrize("data", [b"", b"<html>no model</html>", b"\x00" * 100, b"\x08\x08\x3a\x00"])
def test_what_is_no_model_is_named_in_one_line(bundle_dir: Path, data: bytes) -> None:
    bundle = rewritten(bundle_dir, DECODER, data)
    with pytest.raises((BundleDamaged, BundleUnsupported)) as failed:
        open_model(bundle, "cpu")
    assert DECODER in str(failed.value)
    assert "\n" not in str(failed.value)


def test_a_cut_model_is_refused(bundle_dir: Path) -> None:
    data = (bundle_dir / DECODER).read_bytes()
    with pytest.raises(BundleDamaged, match="decoder_with_past_model"):
        open_model(rewritten(bundle_dir, DECODER, data[: len(data) // 2]), "cpu")


def test_a_flipped_bit_is_seen_before_the_model_is_loaded(bundle_dir: Path) -> None:
    path = bundle_dir / DECODER
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(BundleDamaged, match="SHA-256"):
        open_model(Bundle.open(bundle_dir), "cpu")


def test_other_input_names_are_refused(bundle_dir: Path) -> None:
    model = onnx.load(bundle_dir / DECODER)
    model.graph.input[1].name = "place"
    for node in model.graph.node:
        node.input[:] = ["place" if name == "position" else name for name in node.input]
    with pytest.raises(BundleUnsupported, match="place"):
        open_model(rewritten(bundle_dir, DECODER, model.SerializeToString()), "cpu")


def test_a_model_that_asks_for_terabytes_is_refused(bundle_dir: Path) -> None:
    huge = helper.make_tensor("shape", onnx.TensorProto.INT64, [1], [2**40])
    graph = helper.make_graph(
        [helper.make_node("ConstantOfShape", ["shape"], ["top_logprobs"])],
        "graph",
        [],
        [helper.make_tensor_value_info("top_logprobs", onnx.TensorProto.FLOAT, [2**40])],
        [huge],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    with pytest.raises((BundleDamaged, BundleUnsupported)):
        open_model(rewritten(bundle_dir, DECODER, model.SerializeToString()), "cpu")


def test_an_encoder_that_answers_nan_is_refused(bundle_dir: Path) -> None:
    path = bundle_dir / "variants/cpu-int8/encoder_model.onnx"
    model = onnx.load(path)
    table = next(tensor for tensor in model.graph.initializer if tensor.name == "table")
    broken = onnx.numpy_helper.to_array(table).copy()
    broken[:] = np.nan
    table.CopyFrom(onnx.numpy_helper.from_array(broken, "table"))
    relative = "variants/cpu-int8/encoder_model.onnx"
    bundle = rewritten(bundle_dir, relative, model.SerializeToString())
    with pytest.raises(BundleDamaged, match="no numbers"):
        open_model(bundle, "cpu").encode(["waves"])


def test_importing_the_engine_loads_neither_onnxruntime_nor_tokenizers() -> None:
    code = (
        "import sys, assistant.answering.engine, assistant.bundle.install\n"
        "heavy = ('onnxruntime', 'tokenizers', 'onnx', 'tensorflow', 'textual')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True)
    assert done.stdout.strip() == "[]"


def test_the_registry_needs_no_numpy() -> None:
    code = "import sys, assistant.bundle.registry, assistant.bundle.install; print('numpy' in sys.modules)"
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True)
    assert done.stdout.strip() == "False"
