"""Lamplight: a terminal chat assistant that answers from a curated set, offline."""
