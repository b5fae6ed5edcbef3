"""Learning-rate schedules, and Adam with a rate of its own for the encoder."""

from __future__ import annotations

import trainer.backend  # noqa: F401

from typing import Any

import keras
from keras import ops

from trainer.config import TrainConfig


class Noam(keras.optimizers.schedules.LearningRateSchedule):  # type: ignore[misc]
    """Section 5.3: d_model^-0.5 * min(step^-0.5, step * warmup^-1.5), times `factor`."""

    def __init__(self, d_model: int, warmup: int, factor: float = 1.0) -> None:
        super().__init__()
        self.d_model, self.warmup, self.factor = d_model, warmup, factor

    def __call__(self, step: Any) -> Any:
        step = ops.cast(step, "float32") + 1.0
        return self.factor * self.d_model**-0.5 * ops.minimum(step**-0.5, step * max(1, self.warmup) ** -1.5)


class WarmupLinear(keras.optimizers.schedules.LearningRateSchedule):  # type: ignore[misc]
    """Straight up to `peak` in `warmup` steps, straight down to zero at `total`."""

    def __init__(self, peak: float, warmup: int, total: int) -> None:
        super().__init__()
        self.peak, self.total = peak, max(2, total)
        # A short run would spend itself warming up.
        self.warmup = max(1, min(warmup, self.total // 8))

    def __call__(self, step: Any) -> Any:
        step = ops.cast(step, "float32") + 1.0
        up = step / self.warmup
        down = (self.total - step + 1.0) / (self.total - self.warmup + 1.0)
        return self.peak * ops.maximum(ops.minimum(up, down), 0.0)


class PartAdam(keras.optimizers.Adam):  # type: ignore[misc]
    """Adam (0.9, 0.98, 1e-9) whose rate is multiplied by `encoder_rate` for the encoder's weights."""

    def __init__(self, learning_rate: Any, encoder_rate: float, clip_norm: float) -> None:
        super().__init__(learning_rate, beta_1=0.9, beta_2=0.98, epsilon=1e-9, global_clipnorm=clip_norm or None)
        self.encoder_rate = encoder_rate

    def _backend_update_step(self, grads: list[Any], trainable_variables: list[Any], learning_rate: Any) -> None:
        # The hook in which both backends still see Keras variables with their paths.
        pairs = list(zip(grads, trainable_variables, strict=True))
        encoder = [pair for pair in pairs if pair[1].path.startswith("encoder/")]
        others = [pair for pair in pairs if not pair[1].path.startswith("encoder/")]
        for part, factor in ((encoder, self.encoder_rate), (others, 1.0)):
            if part:
                some_grads, some_variables = (list(column) for column in zip(*part, strict=True))
                super()._backend_update_step(some_grads, some_variables, learning_rate * factor)


def optimizer(train: TrainConfig, d_model: int, steps: int) -> PartAdam:
    """The optimizer of a run of `steps` steps."""
    if train.schedule == "noam":
        rate: Any = Noam(d_model, train.warmup_steps, train.learning_rate)
    else:
        rate = WarmupLinear(train.learning_rate, train.warmup_steps, steps)
    return PartAdam(rate, train.encoder_rate, train.clip_norm)
