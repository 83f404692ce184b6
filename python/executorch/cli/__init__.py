"""The command line: ``executorch inspect | run | bench | profile | compare | doctor``."""
