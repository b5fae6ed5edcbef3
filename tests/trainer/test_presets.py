"""The presets' numbers, overrides, and what is said of a bad value."""

from __future__ import annotations

import trainer.backend  # noqa: F401

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.errors import UsageError
from trainer.config import PRESETS, ModelConfig, Preset, StackConfig, preset, preset_from_json
from trainer.model import count_weights, create_model
from trainer.table import read_table
from trainer.tokenizer import fit_answer_tokenizer, fit_question_tokenizer
from trainer.train import prepare_table

FAQ = Path(__file__).resolve().parents[3] / "shared" / "data" / "mh_faq" / "mental_health_faq_clean.csv"


def weights(config: ModelConfig) -> int:
    """Trainable weights, counted from the paper's description."""
    d = config.d_model

    def block(stack: StackConfig, attentions: int) -> int:
        feed_forward = 2 * d * stack.inner + stack.inner + d
        return attentions * (4 * d * d + 4 * d) + feed_forward + (attentions + 1) * 2 * d

    stacks = config.encoder.layers * block(config.encoder, 1) + config.decoder.layers * block(config.decoder, 2)
    vocabularies = (config.question_vocab_size + config.answer_vocab_size) * d
    return stacks + vocabularies + config.answer_vocab_size * (d + 1)


def test_the_paper_preset_is_the_reports_recipe() -> None:
    paper = preset("paper")
    for stack in (paper.model.encoder, paper.model.decoder):
        assert (stack.layers, stack.heads, stack.inner, stack.activation) == (4, 8, 2048, "relu")
        assert stack.positions == "sinusoidal" and stack.scale and not stack.normalise
    assert paper.model.d_model == 1024 and paper.model.dropout == 0.1 and paper.cut_words == 26
    assert (paper.train.batch_size, paper.train.epochs, paper.train.warmup_steps) == (512, 315, 4000)
    assert (paper.train.schedule, paper.train.learning_rate) == ("noam", 1.0)
    assert (paper.question_tokenizer, paper.answer_tokenizer, paper.pretrained) == ("words", "words", False)
    assert not paper.general and paper.train.contrastive_weight == paper.train.augment == 0.0


def test_weights_are_counted_as_the_paper_describes_them() -> None:
    model = ModelConfig(12, StackConfig(2, 3, 20), StackConfig(3, 2, 28), question_vocab_size=17, answer_vocab_size=19)
    assert count_weights(create_model(model)) == weights(model)


def test_paper_has_about_87_million_weights() -> None:
    model = replace(preset("paper").model, question_vocab_size=1000, answer_vocab_size=1400)
    assert weights(model) == pytest.approx(87e6, rel=0.05)


@pytest.mark.skipif(not FAQ.exists(), reason="the FAQ of the report is not here")
def test_the_reports_table_gives_its_vocabularies_and_size() -> None:
    paper = preset("paper")
    table = prepare_table(read_table(FAQ), paper)
    assert len(table.entries) == 98
    questions = fit_question_tokenizer((entry.question for entry in table.entries), paper, None)
    answers = fit_answer_tokenizer((entry.answer for entry in table.entries), paper)
    assert max(len(answers.encode(entry.answer).ids) for entry in table.entries) >= 26
    model = replace(
        paper.model, question_vocab_size=questions.get_vocab_size(), answer_vocab_size=answers.get_vocab_size()
    )
    assert weights(model) == pytest.approx(87e6, rel=0.05)


def test_faq_starts_from_minilm_and_trains_both_losses() -> None:
    faq = preset("faq")
    assert faq.pretrained and faq.question_tokenizer == "pretrained" and faq.answer_tokenizer == "bpe"
    assert faq.model.d_model == 384 and faq.model.decoder.layers in (3, 4)
    assert (faq.model.encoder.layers, faq.model.encoder.heads, faq.model.encoder.inner) == (6, 12, 1536)
    assert faq.train.contrastive_weight > 0
    assert not preset("faq-scratch").pretrained and preset("faq-scratch").train.encoder_rate == 1.0


@pytest.mark.parametrize("name", PRESETS)
def test_presets_survive_json(name: str) -> None:
    made = preset(name)
    assert preset_from_json(json.loads(json.dumps(made.to_json()))) == made


def test_fields_of_later_versions_are_ignored() -> None:
    record = preset("tiny").to_json()
    record["later"] = record["train"]["later"] = record["model"]["encoder"]["later"] = 1
    assert preset_from_json(record) == preset("tiny")


def test_overrides_reach_every_part() -> None:
    made = preset(
        "tiny", epochs=3, d_model=64, encoder_layers=1, decoder_positions="learned", answer_vocab=99, seed=None
    )
    assert (made.train.epochs, made.model.d_model, made.answer_vocab) == (3, 64, 99)
    assert (made.model.encoder.layers, made.model.decoder.layers) == (1, 2)
    assert made.model.decoder.positions == "learned" and made.model.encoder.positions == "sinusoidal"
    assert made.train.seed == preset("tiny").train.seed


def test_presets_are_frozen() -> None:
    with pytest.raises(AttributeError):
        preset("tiny").name = "other"  # type: ignore[misc]
    assert isinstance(preset("tiny"), Preset)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epochs", 0),
        ("epochs", -1),
        ("batch_size", 0),
        ("dropout", 1.0),
        ("dropout", -0.1),
        ("learning_rate", 0.0),
        ("learning_rate", float("nan")),
        ("learning_rate", float("inf")),
        ("warmup_steps", -1),
        ("temperature", 0.0),
        ("augment", 1.5),
        ("pair_share", 0.0),
        ("generation_share", 2.0),
        ("encoder_heads", 5),
        ("decoder_heads", 0),
        ("encoder_layers", 0),
        ("decoder_inner", 0),
        ("schedule", "cosine"),
        ("freeze", -1),
        ("label_smoothing", 1.0),
        ("negatives", -1),
        ("clip_norm", -1.0),
        ("d_model", 0),
        ("encoder_positions", "rotary"),
        ("seed", -1),
        ("least_rows", 0),
        ("max_question_tokens", 2),
    ],
)
def test_a_bad_value_is_named(name: str, value: object) -> None:
    with pytest.raises(UsageError, match=f"{name}={value}"):
        preset("tiny", **{name: value})


def test_a_learned_table_of_positions_has_an_end() -> None:
    with pytest.raises(UsageError, match="max_question_tokens=513"):
        preset("faq", max_question_tokens=513)


def test_unknown_names_are_told() -> None:
    with pytest.raises(UsageError, match="unknown preset 'papper': choose one of faq"):
        preset("papper")
    with pytest.raises(UsageError, match="unknown option 'epocks'"):
        preset("tiny", epocks=3)


def test_the_command_lists_the_presets(command: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert command("presets") == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["paper"]["train"]["epochs"] == 315 and set(listed) == set(PRESETS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["TABLE", "--preset", "nano"], "unknown preset 'nano'"),
        (["TABLE", "--preset", "tiny", "--dropout", "7"], "dropout=7.0 is out of range"),
        (["TABLE", "--preset", "tiny", "--decoder-positions", "x"], "decoder_positions=x"),
        (["--preset", "tiny"], "name a TABLE to train on, or --resume"),
        (["TABLE", "--epochs", "many"], "'many' is not a valid integer"),
    ],
)
def test_wrong_use_ends_with_code_2(
    arguments: list[str],
    said: str,
    tiny_table: Path,
    tmp_path: Path,
    command: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = [str(tiny_table) if a == "TABLE" else a for a in arguments]
    assert command("fit", *arguments, "-o", str(tmp_path / "out")) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_flags_override_the_preset(
    command: Callable[..., int], monkeypatch: pytest.MonkeyPatch, tiny_table: Path, tmp_path: Path
) -> None:
    seen: list[Preset] = []
    monkeypatch.setattr("trainer.cli.train_table", lambda table, recipe, *_: seen.append(recipe))
    flags = ["--epochs", "3", "--encoder-layers", "1", "--mixed-precision", "true", "--decoder-positions", "learned"]
    assert command("fit", str(tiny_table), "--preset", "tiny", "-o", str(tmp_path / "out"), *flags) == 0
    assert seen == [preset("tiny", epochs=3, encoder_layers=1, mixed_precision=True, decoder_positions="learned")]
