"""The model at work: tokenizers, decoding, onnxruntime sessions, confidence."""
