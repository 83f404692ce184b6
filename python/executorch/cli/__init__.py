"""The command line: ``executorch inspect | run | bench``."""
