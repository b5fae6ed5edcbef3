"""Presets: what a model is made of and how it is trained. Every field can be overridden by a flag."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

from assistant.errors import UsageError

PAD_ID, BOS_ID, EOS_ID = 0, 1, 2
# As many as BERT has.
LEARNED_POSITIONS = 512


@dataclass(frozen=True)
class StackConfig:
    """One side of the Transformer."""

    layers: int
    heads: int
    inner: int
    activation: Literal["relu", "gelu"] = "gelu"
    positions: Literal["sinusoidal", "learned"] = "sinusoidal"
    scale: bool = True
    normalise: bool = False
    epsilon: float = 1e-6


@dataclass(frozen=True)
class ModelConfig:
    """Shape of the Transformer. Vocabulary sizes are 0 until the tokenizers are fitted."""

    d_model: int
    encoder: StackConfig
    decoder: StackConfig
    dropout: float = 0.1
    max_question_tokens: int = 128
    max_answer_tokens: int = 128
    question_vocab_size: int = 0
    answer_vocab_size: int = 0


@dataclass(frozen=True)
class TrainConfig:
    """How the weights are found. Learning rates are those of Adam (0.9, 0.98, 1e-9).

    `schedule` "noam" is section 5.3 of the paper (`learning_rate` multiplies it); "linear" warms up and
    goes down to zero. `encoder_rate` multiplies the rate of the encoder's weights, of which `freeze` 1 leaves
    the embeddings as they are, n + 1 the n lowest layers too. Of each batch, `pair_share`
    gets a partner (another phrasing of the same entry) and `generation_share` is decoded; `negatives` questions
    that no entry answers stand beside it. In an epoch
    an entry with fewer than `least_rows` questions is asked that often, each time augmented anew. `epochs` 0 means
    as many as it takes to decode each answer about `exposures` times.
    """

    epochs: int
    batch_size: int
    exposures: int = 0
    least_rows: int = 1
    schedule: Literal["noam", "linear"] = "linear"
    learning_rate: float = 1e-3
    warmup_steps: int = 200
    encoder_rate: float = 1.0
    freeze: int = 0
    label_smoothing: float = 0.0
    contrastive_weight: float = 0.0
    prototype_weight: float = 0.0
    temperature: float = 0.05
    negatives: int = 0
    pair_share: float = 0.5
    generation_share: float = 1.0
    augment: float = 0.0
    clip_norm: float = 0.0
    seed: int = 7
    mixed_precision: bool = False


@dataclass(frozen=True)
class Preset:
    """A named, complete recipe."""

    name: str
    model: ModelConfig
    train: TrainConfig
    question_tokenizer: Literal["pretrained", "wordpiece", "words"] = "pretrained"
    answer_tokenizer: Literal["bpe", "words"] = "bpe"
    answer_vocab: int = 4000
    question_vocab: int = 8000
    pretrained: bool = True
    cut_words: int = 0
    general: bool = True

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON types; `preset_from_json` reads them back."""
        return asdict(self)


def _faq() -> Preset:
    encoder = StackConfig(
        layers=6, heads=12, inner=1536, positions="learned", scale=False, normalise=True, epsilon=1e-12
    )
    decoder = StackConfig(layers=3, heads=6, inner=1152)
    model = ModelConfig(384, encoder, decoder)
    train = TrainConfig(
        epochs=0,
        batch_size=64,
        exposures=110,
        least_rows=8,
        learning_rate=1e-3,
        warmup_steps=150,
        encoder_rate=0.06,
        contrastive_weight=1.0,
        prototype_weight=1.0,
        negatives=16,
        augment=0.5,
        generation_share=0.5,
        freeze=1,
        clip_norm=1.0,
    )
    return Preset("faq", model, train)


def _faq_scratch() -> Preset:
    base = _faq()
    encoder = StackConfig(layers=3, heads=6, inner=1024)
    decoder = StackConfig(layers=3, heads=4, inner=768)
    model = ModelConfig(256, replace(encoder, heads=4, inner=768), decoder)
    train = replace(base.train, epochs=30, encoder_rate=1.0, freeze=0, warmup_steps=300)
    return Preset("faq-scratch", model, train, question_tokenizer="wordpiece", pretrained=False)


def _paper() -> Preset:
    stack = StackConfig(layers=4, heads=8, inner=2048, activation="relu")
    model = ModelConfig(1024, stack, stack, max_question_tokens=28, max_answer_tokens=28)
    train = TrainConfig(epochs=315, batch_size=512, schedule="noam", learning_rate=1.0, warmup_steps=4000)
    return Preset(
        "paper",
        model,
        train,
        question_tokenizer="words",
        answer_tokenizer="words",
        pretrained=False,
        cut_words=26,
        general=False,
    )


def _paper_corrected() -> Preset:
    """The report's model with a schedule that ends before its training does."""
    base = _paper()
    train = replace(
        base.train, epochs=60, batch_size=14, schedule="linear", learning_rate=1e-4, warmup_steps=70, clip_norm=1.0
    )
    return replace(base, name="paper-corrected", train=train)


def _tiny() -> Preset:
    """Two layers a side, trained in seconds: what the tests use."""
    stack = StackConfig(layers=2, heads=2, inner=64)
    model = ModelConfig(32, stack, stack, dropout=0.0, max_question_tokens=48, max_answer_tokens=64)
    train = TrainConfig(
        epochs=40,
        batch_size=16,
        learning_rate=1e-2,
        warmup_steps=20,
        contrastive_weight=1.0,
        negatives=4,
        augment=0.2,
        clip_norm=1.0,
    )
    return Preset(
        "tiny",
        model,
        train,
        question_tokenizer="wordpiece",
        pretrained=False,
        answer_vocab=400,
        question_vocab=600,
        general=False,
    )


PRESETS = {
    "faq": _faq,
    "faq-scratch": _faq_scratch,
    "paper": _paper,
    "paper-corrected": _paper_corrected,
    "tiny": _tiny,
}


def preset(name: str, **overrides: Any) -> Preset:
    """Return the preset of that name with the given fields replaced; None means "as it is".

    Fields of the preset, of its model, of either stack (`encoder_layers`, `decoder_heads`, ...) and of
    its training are all addressed by their plain names. Raises UsageError for an unknown name.
    """
    if name not in PRESETS:
        raise UsageError(f"unknown preset {name!r}: choose one of {', '.join(PRESETS)}")
    base = PRESETS[name]()
    given = {key: value for key, value in overrides.items() if value is not None}
    model, train = base.model, base.train
    for key, value in given.items():
        side, _, rest = key.partition("_")
        if key in _names(Preset):
            base = replace(base, **{key: value})
        elif key in _names(TrainConfig):
            train = replace(train, **{key: value})
        elif key in _names(ModelConfig):
            model = replace(model, **{key: value})
        elif side in ("encoder", "decoder") and rest in _names(StackConfig):
            model = replace(model, **{side: replace(getattr(model, side), **{rest: value})})
        else:
            raise UsageError(f"unknown option {key!r}")
    result = replace(base, model=model, train=train)
    validate(result)
    return result


def validate(preset: Preset) -> None:
    """Raise UsageError that names the first value which cannot work."""
    model, train = preset.model, preset.train
    for side in ("encoder", "decoder"):
        _validate_stack(side, getattr(model, side), model)
    checks = {
        "d_model": model.d_model >= 2,
        "max_question_tokens": model.max_question_tokens >= 3,
        "schedule": train.schedule in ("noam", "linear"),
        "epochs": train.epochs >= 1 or (train.epochs == 0 and train.exposures >= 1),
        "batch_size": train.batch_size >= 1,
        "least_rows": train.least_rows >= 1,
        "dropout": 0 <= model.dropout < 1,
        "learning_rate": 0 < train.learning_rate < float("inf"),
        "warmup_steps": train.warmup_steps >= 0,
        "encoder_rate": 0 <= train.encoder_rate < float("inf"),
        "freeze": train.freeze >= 0,
        "label_smoothing": 0 <= train.label_smoothing < 1,
        "negatives": train.negatives >= 0,
        "contrastive_weight": train.contrastive_weight >= 0,
        "prototype_weight": train.prototype_weight >= 0,
        "clip_norm": train.clip_norm >= 0,
        "seed": 0 <= train.seed < 2**32,
        "temperature": train.temperature > 0,
        "augment": 0 <= train.augment <= 1,
        "pair_share": 0 < train.pair_share <= 1,
        "generation_share": 0 < train.generation_share <= 1,
    }
    for name, good in checks.items():
        if not good:
            raise UsageError(f"{name}={getattr(train, name, getattr(model, name, None))} is out of range")


def _validate_stack(side: str, stack: StackConfig, model: ModelConfig) -> None:
    if stack.heads < 1 or model.d_model % stack.heads:
        raise UsageError(f"{side}_heads={stack.heads} does not divide d_model={model.d_model}")
    if stack.positions not in ("sinusoidal", "learned"):
        raise UsageError(f"{side}_positions={stack.positions} must be sinusoidal or learned")
    for name in ("layers", "inner"):
        if getattr(stack, name) < 1:
            raise UsageError(f"{side}_{name}={getattr(stack, name)} is out of range")
    if side == "encoder" and stack.positions == "learned" and model.max_question_tokens > LEARNED_POSITIONS:
        raise UsageError(
            f"max_question_tokens={model.max_question_tokens} is more than the encoder's "
            f"{LEARNED_POSITIONS} learned positions"
        )


def preset_from_json(record: dict[str, Any]) -> Preset:
    """Read back what `Preset.to_json` wrote; fields of later versions are ignored."""
    model = _pick(ModelConfig, record["model"])
    model = replace(
        model,
        encoder=_pick(StackConfig, record["model"]["encoder"]),
        decoder=_pick(StackConfig, record["model"]["decoder"]),
    )
    return replace(_pick(Preset, record), model=model, train=_pick(TrainConfig, record["train"]))


def _names(cls: Any) -> set[str]:
    return {f.name for f in fields(cls)} - {"model", "train", "encoder", "decoder", "name"}


def _pick(cls: Any, record: dict[str, Any]) -> Any:
    known = {f.name for f in fields(cls)}
    return cls(**{key: value for key, value in record.items() if key in known})
