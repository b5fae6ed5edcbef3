"""Learning rates of the paper, and Adam by hand."""

from __future__ import annotations

import trainer.backend  # noqa: F401

import keras
import numpy as np
import pytest

from trainer.config import preset
from trainer.schedule import Noam, PartAdam, WarmupLinear, optimizer


@pytest.mark.parametrize("step", [1, 10, 3999, 4000, 4001, 100_000])
def test_noam_is_the_papers_formula(step: int) -> None:
    wanted = 512**-0.5 * min(step**-0.5, step * 4000**-1.5)
    assert float(Noam(512, 4000)(step - 1)) == pytest.approx(wanted, rel=1e-5)  # Keras counts steps from 0.
    assert float(Noam(512, 4000, 0.5)(step - 1)) == pytest.approx(wanted / 2, rel=1e-5)


def test_noam_is_highest_at_the_end_of_the_warm_up() -> None:
    rates = [float(Noam(64, 20)(step)) for step in range(60)]
    assert int(np.argmax(rates)) == 19


def test_linear_goes_up_and_down_to_zero() -> None:
    rate = WarmupLinear(0.4, 10, 100)
    assert [float(rate(step)) for step in (0, 4, 9)] == pytest.approx([0.04, 0.2, 0.4])
    assert float(rate(29)) == pytest.approx(0.4 * 71 / 91)
    assert float(rate(99)) == pytest.approx(0.4 / 91)
    assert float(rate(100)) == float(rate(500)) == 0.0


def test_a_warm_up_longer_than_the_run_takes_an_eighth_of_it() -> None:
    rates = [float(WarmupLinear(1.0, 4000, 32)(step)) for step in range(32)]
    assert int(np.argmax(rates)) == 3 and max(rates) == pytest.approx(1.0) and rates[-1] < 0.2


def test_the_preset_chooses_the_schedule() -> None:
    noam = optimizer(preset("paper").train, 1024, 315)._learning_rate
    assert isinstance(noam, Noam) and float(noam(3999)) == pytest.approx(1024**-0.5 * 4000**-0.5, rel=1e-5)
    assert isinstance(optimizer(preset("faq").train, 384, 500)._learning_rate, WarmupLinear)


def variables(*paths: str) -> list[keras.Variable]:
    made = []
    for path in paths:
        scope, name = path.split("/")
        with keras.name_scope(scope):
            made.append(keras.Variable(np.array([1.0, -2.0, 3.0], dtype="float32"), name=name))
    return made


def test_the_encoders_rate_is_multiplied() -> None:
    encoder, decoder = variables("encoder/a", "decoder/b")
    adam = PartAdam(0.1, 0.06, 0.0)
    gradient = np.array([0.5, -0.25, 4.0], dtype="float32")
    adam.apply([keras.ops.convert_to_tensor(gradient)] * 2, [encoder, decoder])
    moved = [np.asarray(v) - np.array([1.0, -2.0, 3.0]) for v in (encoder, decoder)]
    np.testing.assert_allclose(moved[1], -0.1 * np.sign(gradient), atol=1e-6)  # Adam's first step is its rate.
    np.testing.assert_allclose(moved[0], moved[1] * 0.06, atol=1e-6)


def test_adam_has_the_papers_constants() -> None:
    """Five steps beside Adam written out with 0.9, 0.98 and 1e-9."""
    (variable,) = variables("decoder/b")
    adam = PartAdam(0.01, 1.0, 0.0)
    value, mean, square = np.array([1.0, -2.0, 3.0]), np.zeros(3), np.zeros(3)
    for step, gradient in enumerate(np.random.default_rng(0).normal(size=(5, 3)) * [1e-9, 1, 100], start=1):
        adam.apply([keras.ops.convert_to_tensor(gradient.astype("float32"))], [variable])
        mean, square = 0.9 * mean + 0.1 * gradient, 0.98 * square + 0.02 * gradient**2
        rate = 0.01 * np.sqrt(1 - 0.98**step) / (1 - 0.9**step)  # Kingma and Ba, end of section 2
        value -= rate * mean / (np.sqrt(square) + 1e-9)
    np.testing.assert_allclose(np.asarray(variable), value, atol=1e-5)


def test_gradients_are_clipped_together() -> None:
    """One large gradient makes the other one small: the norm is that of both."""
    first, second = variables("encoder/a", "decoder/b")
    plain = PartAdam(0.1, 1.0, 1.0)
    plain.apply([keras.ops.convert_to_tensor(np.full(3, x, "float32")) for x in (1e6, 1e-3)], [first, second])
    assert plain.global_clipnorm == 1.0 and PartAdam(0.1, 1.0, 0.0).global_clipnorm is None
    # Behind the clipping the second gradient is about 1e-3 / 1.7e6, of the size of epsilon: no full step.
    assert abs(float(np.asarray(second)[0]) - 1.0) < 0.06
