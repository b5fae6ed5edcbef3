"""Conversations and feedback in SQLite."""
