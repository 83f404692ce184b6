"""Operator libraries that are loaded when they are imported."""
