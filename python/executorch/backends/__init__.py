"""Delegates that an application asks for by import."""
