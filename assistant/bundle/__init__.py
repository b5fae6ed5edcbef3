"""Bundles: what they hold, how they are checked, installed and found."""
