"""The three ways of decoding that `decode.py` compares, behind one call: questions in, answer ids out.

Each works from the questions' text, so that tokenizing and the encoder's pass are in everybody's time.
"""

from __future__ import annotations

import trainer.backend  # noqa: F401, I001

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import ctranslate2
import numpy as np
import onnx
import tensorflow as tf
from ct2_model import UNKNOWN_SCORES, convert, token, token_id
from numpy.typing import NDArray
