"""Operator conformance: every registered operator against PyTorch eager on the CPU.

rows.py       the registered operators, and which PyTorch overloads compute the same
recording.py  runs PyTorch code and notes every call of such an overload, with its result, as a Sample
sources.py    where samples come from: PyTorch's operator database, and handwritten.py for what it lacks
probing.py    element types that PyTorch supports beyond those of the samples
variants.py   the same calls with other memory layouts, and enlarged so that threads take part
calling.py    replays a Sample on our operator, in guarded memory (memory.py), and compares (compare.py)
outs.py       the same calls with outs that are larger, too small, of another rank or another type
kinds.py      the same calls with operands that every operator could get wrong: of mixed types, empty, special, overlapping
hostile.py    the same calls with damaged arguments
test_exported.py  what the exporter leaves in programs is implemented, or listed in gaps.py
gaps.py       what is knowingly not supported, with the reason
jobs.py       one operator's work, in child processes that may crash or hang (processes.py)
server.py     the process that has PyTorch's operator database loaded and works through the operators
"""
