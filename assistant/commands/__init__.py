"""The commands of `lamplight`, one module each."""
