"""Conversion of a checkpoint to ONNX and to a bundle."""
