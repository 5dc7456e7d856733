"""The ``dse`` command: one application, one place where exceptions become text and exit codes."""

from __future__ import annotations

import atexit
import gc
import io
import signal
import sys
import threading
from typing import Annotated

import typer

from dse.cli import (
    ask,
    budget,
    candidates,
    catalog,
    check,
    compare,
    diff,
    estimate,
    explain,
    fidelity,
    init,
    pareto,
    quotes,
    simulate,
    solve,
    sweep,
    verify,
)
from dse.cli.common import EXIT_INPUT, EXIT_INTERNAL, EXIT_STOPPED

EXIT_INTERRUPTED = 130
"""What a command line library ends with after Ctrl-C."""

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Choose the neural network and the chip it runs on: highest accuracy within worst-case latency, "
    "rate, power and price limits, with proof.",
    epilog="Exit codes: 0 answered, 2 the input is wrong, 3 proven infeasible, 4 stopped without an answer.",
)
app.command("init")(init.init)
app.command("check")(check.check)
app.command("schema")(init.schema)
app.command("budget")(budget.budget)
app.command("solve")(solve.solve)
app.command("explain")(explain.explain)
app.command("pareto")(pareto.pareto)
app.command("compare")(compare.compare)
app.command("simulate")(simulate.simulate)
app.command("sweep")(sweep.sweep)
app.command("ask")(ask.ask)
app.command("quotes")(quotes.quotes)
app.command("verify")(verify.verify)
app.command("diff")(diff.diff)
app.command("candidates")(candidates.candidates)
app.command("estimate")(estimate.estimate)
app.command("fidelity")(fidelity.fidelity)
app.add_typer(catalog.app, name="catalog")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"dse {version('dse')}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options before the command."""


def _speak_utf8() -> None:
    """Data goes out as UTF-8 whatever the platform's pipe would take; a terminal shows what it can of it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def main() -> None:
    """Run the command line; wrong input ends with its faults on stderr, never with a traceback."""
    from dse.errors import InputError, VerificationError, WorkerError

    # A command lives for seconds and makes few cycles: the collector only slows imports (measured: a fifth of a solve).
    gc.disable()
    # At the end it would walk all that is left in search of cycles (measured: an eighth of a solve); the memory goes
    # with the process anyway, and exit handlers still run.
    atexit.register(gc.freeze)
    _speak_utf8()
    # Whoever ends the command wants its processes gone and its files whole, as after an interrupt.
    if hasattr(signal, "SIGTERM") and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        app(prog_name="dse")
    except InputError as error:
        for fault in error.faults:
            sys.stderr.write(f"error: {fault}\n")
        sys.exit(EXIT_INPUT)
    except SystemExit as ended:
        if ended.code != EXIT_INTERRUPTED:
            raise
        sys.stderr.write("stopped before there was an answer; no file was left half-written\n")
        sys.exit(EXIT_STOPPED)
    except WorkerError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(EXIT_STOPPED)
    except VerificationError as error:
        sys.stderr.write(f"internal error, please report it: the independent check contradicts the answer: {error}\n")
        sys.exit(EXIT_INTERNAL)
    except OSError as error:
        place = f"{error.filename2 or error.filename}: " if error.filename else ""
        sys.stderr.write(f"error: {place}{error.strerror or error}\n")
        sys.exit(EXIT_INPUT)


if __name__ == "__main__":
    main()
