"""Operators of language models: import ``custom_ops`` to load them."""
