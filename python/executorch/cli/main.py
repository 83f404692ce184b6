"""Entry point of the ``executorch`` command."""

from __future__ import annotations

import argparse
import sys

from executorch import __version__
from executorch.cli import bench, compare, doctor, inspect, profile, run



def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="executorch", description="Look at, run, time and check ExecuTorch programs (.pte files).")
    parser.add_argument("--version", action="version", version=f"executorch {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in (inspect, run, bench, profile, compare, doctor):
        name = command.__name__.rpartition(".")[2]
        sub = commands.add_parser(name, help=command.HELP, description=command.HELP)
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
