"""Which backend Keras runs on, and the device it found. Import this before keras.

TensorFlow is the default; KERAS_BACKEND=jax trains where only JAX is there.
"""

from __future__ import annotations

import os
import warnings

# The first step of a decoder attends to one key; that its weight is 1 is as it should be.
warnings.filterwarnings("ignore", message="You are using a softmax over axis")
os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


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
