"""From a question to a reply."""
