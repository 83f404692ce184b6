"""Entry point of the ``executorch`` command."""

from __future__ import annotations

import argparse
import sys

from executorch import __version__
from executorch.cli import bench, inspect, run



def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="executorch", description="Look at, run and time ExecuTorch programs (.pte files).")
    parser.add_argument("--version", action="version", version=f"executorch {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in (inspect, run, bench):
        name = command.__name__.rpartition(".")[2]
        sub = commands.add_parser(name, help=command.HELP, description=command.HELP)
        sub.add_argument("file", metavar="FILE", help="the program, a .pte file")
        sub.add_argument("--data", action="append", default=[], metavar="FILE", help="a .ptd data file; may be repeated")
        sub.add_argument("--no-plan", action="store_true", help="run every instruction as the program has it")
        sub.add_argument("--cache-dir", metavar="DIR", help="share packed weights with other processes through this folder")
        command.add_arguments(sub)
        sub.set_defaults(run=command.main)
    return parser


def main(argv: list[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    try:
        return args.run(args) or 0
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 1
    except (OSError, ValueError, RuntimeError, KeyError, IndexError) as error:
        text = error.args[0] if isinstance(error, KeyError) and error.args else error
        print(f"executorch {args.command}: {text}", file=sys.stderr)
        return 1
