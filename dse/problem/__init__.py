"""The problem: what is asked, read from one YAML file and judged before anything is computed."""

from dse.problem.load import load_problem, parse_problem
from dse.problem.spec import Problem

__all__ = ["Problem", "load_problem", "parse_problem"]
