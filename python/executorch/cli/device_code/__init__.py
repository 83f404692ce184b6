"""Code for accelerators inside libraries: what is there (`fatbin`) and what a release must have (`coverage`)."""
