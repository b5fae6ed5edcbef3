"""Which backend Keras runs on, and the device it found. Import this before keras.

TensorFlow is the default; KERAS_BACKEND=jax trains where only JAX is there. TensorFlow's libraries write to
stderr while they are loaded, before its log level counts for anything: that one moment is muted.
TF_CPP_MIN_LOG_LEVEL below 3 lets all of it through.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# The first step of a decoder attends to one key; that its weight is 1 is as it should be.
warnings.filterwarnings("ignore", message="You are using a softmax over axis")
os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


@contextmanager
def muted_stderr() -> Iterator[None]:
    """Send what native code writes to file descriptor 2 nowhere; Python's exceptions pass as always."""
    if sys.stderr is not None:
        sys.stderr.flush()
    try:
        kept = os.dup(2)
    except OSError:  # stderr is closed: nothing to mute
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


if os.environ["TF_CPP_MIN_LOG_LEVEL"] == "3":
    with muted_stderr():
        import keras  # noqa: F401  (loads the backend)


def device_name() -> str:
    """The device that trains, in words."""
    import keras

    if keras.backend.backend() == "jax":
        import jax

        return str(jax.devices()[0].device_kind)
    import tensorflow as tf

    gpus = tf.config.list_physical_devices("GPU")
    return tf.config.experimental.get_device_details(gpus[0]).get("device_name", "GPU") if gpus else "CPU"


def make_deterministic(seed: int) -> None:
    """One seed, one result on one device: seeds of Python, NumPy and Keras, deterministic kernels."""
    import keras

    keras.utils.set_random_seed(seed)
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        tf.config.experimental.enable_op_determinism()


def training_step(model: Any) -> Callable[[Any, Any], dict[str, Any]]:
    """A compiled step of a compiled Keras model: (inputs, targets) -> {"loss": mean loss of the batch, ...}.

    On TensorFlow it is compiled once for batches of all widths. `train_on_batch` compiles the first shapes that it
    meets apart, with results that differ in the last bit: a resumed run, which meets others first, would end elsewhere.
    """
    import keras

    if keras.backend.backend() != "tensorflow":
        return lambda inputs, targets: dict(model.train_on_batch(inputs, targets, return_dict=True))
    import tensorflow as tf

    compiled: list[Any] = []

    def step(inputs: Any, targets: Any) -> dict[str, Any]:
        batch = (inputs, targets)
        if not compiled:
            shapes = tf.nest.map_structure(lambda array: tf.TensorSpec([None] * array.ndim, array.dtype), batch)
            compiled.append(tf.function(model.train_step, input_signature=[shapes], autograph=False))
        model.reset_metrics()
        return dict(compiled[0](batch))

    return step
