"""``dse check``: is the problem file right, which defaults hold, what does each filter leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dse.cli.common import CatalogDirs, ProblemFile, console, roots, say_if_rebuilt

if TYPE_CHECKING:
    from rich.console import Console

    from dse.candidates.context import Context
    from dse.candidates.survey import Survey


def check(problem_file: ProblemFile, catalog: CatalogDirs = None) -> None:
    """Validate a problem, say the defaults used, count candidates per limit; solves nothing.

    Example: dse check problem.yaml
    """
    from rich.table import Table

    from dse.api import knowledge_of, load_problem, roots_of
    from dse.candidates.context import prepare
    from dse.candidates.survey import survey
    from dse.problem.defaults import defaults_used
    from dse.report.words import counted

    problem = load_problem(problem_file, roots(catalog))
    all_roots = roots_of(problem_file, roots(catalog))
    say_if_rebuilt(all_roots)
    out = console()
    out.print(f"{problem_file}: valid", style="green", markup=False)
    table = Table("default", "value", box=None, header_style="bold", pad_edge=False)
    for path, value in defaults_used(problem):
        table.add_row(path, value)
    out.print(table)
    knowledge = knowledge_of(all_roots)
    if len(problem.tasks) == 1:
        context = prepare(problem, problem.tasks[0], knowledge)
        _show_filters(out, context, survey(context))
        return
    from dse.joint.sides import combinations_per_device, sides_of

    sides = sides_of(problem, knowledge)
    for side in sides:
        out.print(f"task {side.task.name}, alone", style="bold", markup=False)
        _show_filters(out, side.context, side.found)
    left = combinations_per_device(sides)
    chips = len({chip for chip, _board, _mode in left})
    what = "device carries" if len(left) == 1 else "devices carry"
    out.print(
        f"{len(left):,} {what} all {len(sides)} tasks ({counted(chips, 'chips')}, with boards and power modes); "
        f"{sum(left.values()):,} combinations of their candidates remain for `dse solve`",
        markup=False,
    )


def _show_filters(out: Console, context: Context, found: Survey) -> None:
    """What each limit leaves of the candidates of one task."""
    from rich.table import Table

    for reason, count in context.space.dropped.items():
        out.print(f"left out: {count} {reason}", markup=False)
    counts = Table(
        "limit", "candidates it refuses", "refused by nothing else", box=None, header_style="bold", pad_edge=False
    )
    for name, broken in found.broken.items():
        counts.add_row(name, f"{broken:,}", f"{found.alone[name]:,}")
    out.print(counts)
    out.print(f"{found.total:,} candidates, {len(found.feasible):,} meet every limit", markup=False)
