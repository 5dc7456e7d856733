"""``dse check``: is the problem file right, which defaults hold, what does each filter leave."""

from __future__ import annotations

from dse.cli.common import CatalogDirs, ProblemFile, console, roots, say_if_rebuilt


def check(problem_file: ProblemFile, catalog: CatalogDirs = None) -> None:
    """Validate a problem, say the defaults used, count candidates per limit; solves nothing.

    Example: dse check problem.yaml
    """
    from rich.table import Table

    from dse.api import knowledge_of, load_problem, roots_of
    from dse.candidates.context import prepare
    from dse.candidates.survey import survey
    from dse.problem.defaults import defaults_used

    problem = load_problem(problem_file, roots(catalog))
    all_roots = roots_of(problem_file, roots(catalog))
    say_if_rebuilt(all_roots)
    out = console()
    out.print(f"{problem_file}: valid", style="green", markup=False)
    table = Table("default", "value", box=None, header_style="bold", pad_edge=False)
    for path, value in defaults_used(problem):
        table.add_row(path, value)
    out.print(table)
    context = prepare(problem, problem.tasks[0], knowledge_of(all_roots))
    found = survey(context)
    for reason, count in context.space.dropped.items():
        out.print(f"left out: {count} {reason}", markup=False)
    counts = Table(
        "limit", "candidates it refuses", "refused by nothing else", box=None, header_style="bold", pad_edge=False
    )
    for name, broken in found.broken.items():
        counts.add_row(name, f"{broken:,}", f"{found.alone[name]:,}")
    out.print(counts)
    out.print(f"{found.total:,} candidates, {len(found.feasible):,} meet every limit", markup=False)
