"""Parts for language models."""
