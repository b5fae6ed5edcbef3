"""Training of the encoder-decoder Transformer."""
