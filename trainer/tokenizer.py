"""Fitting the tokenizers. Reading them back is `assistant.inference.tokenizer`'s part."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from assistant.errors import TrainingError
from trainer.config import Preset

ANSWER_SPECIALS = ["<pad>", "<s>", "</s>"]
QUESTION_SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def fit_answer_tokenizer(texts: Iterable[str], preset: Preset) -> Tokenizer:
    """Byte-level BPE (lossless), or the report's lower-cased words with spaced punctuation."""
    if preset.answer_tokenizer == "words":
        return _words(texts, [*ANSWER_SPECIALS, "<unk>"], "<unk>")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=preset.answer_vocab,
        special_tokens=ANSWER_SPECIALS,
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def fit_question_tokenizer(texts: Iterable[str], preset: Preset, pretrained: Path | None) -> Tokenizer:
    """The checkpoint's own tokenizer, a WordPiece fitted here, or the report's words."""
    if preset.question_tokenizer == "pretrained" and pretrained is not None:
        tokenizer = _stored(pretrained)
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer
    if preset.question_tokenizer == "words":
        tokenizer = _words(texts, QUESTION_SPECIALS, "[UNK]")
    else:
        tokenizer = _wordpiece(texts, preset.question_vocab)
    ids = [(mark, tokenizer.token_to_id(mark)) for mark in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ids)
    return tokenizer


def _stored(folder: Path) -> Tokenizer:
    """The tokenizer of a pretrained model's folder, or of a bundle's. Raises TrainingError."""
    names = [name for name in ("tokenizer.json", "question_tokenizer.json") if (folder / name).is_file()]
    if not names:
        raise TrainingError(f"{folder}: holds no tokenizer.json")
    try:
        return Tokenizer.from_buffer((folder / names[0]).read_bytes())
    except (OSError, ValueError, TypeError) as error:
        raise TrainingError(f"{folder / names[0]}: is no tokenizer: {error}") from error


def _wordpiece(texts: Iterable[str], size: int) -> Tokenizer:
    texts = list(texts)
    fitted = _empty_wordpiece({})
    # The library numbers the letters inside words in the order of a hash that is new in every process, and breaks
    # ties by these numbers. Given as marks they have their numbers from here, and one table gives one vocabulary.
    words = (
        word
        for text in texts
        for word, _ in fitted.pre_tokenizer.pre_tokenize_str(fitted.normalizer.normalize_str(text))
    )
    inner = sorted({f"##{letter}" for word in words for letter in word[1:]})
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=QUESTION_SPECIALS + inner, show_progress=False)
    fitted.train_from_iterator(texts, trainer)
    tokenizer = _empty_wordpiece(fitted.get_vocab())
    tokenizer.add_special_tokens(QUESTION_SPECIALS)
    return tokenizer


def _empty_wordpiece(vocabulary: dict[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def _words(texts: Iterable[str], specials: list[str], unknown: str) -> Tokenizer:
    """Lower case, punctuation spaced, all but letters, digits, apostrophes and .?!, dropped: as in the report."""
    tokenizer = Tokenizer(models.WordLevel(unk_token=unknown))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.NFD(),
            normalizers.StripAccents(),
            normalizers.Lowercase(),
            normalizers.Replace(Regex("[^a-z0-9.?!,']+"), " "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.WhitespaceSplit(),
            pre_tokenizers.Split(Regex("[.?!,]"), "isolated"),
        ]
    )
    trainer = trainers.WordLevelTrainer(special_tokens=specials, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer
