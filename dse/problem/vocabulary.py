"""The names a problem may refer to, as the caller knows them; this station never opens a catalogue."""

from __future__ import annotations

from dataclasses import dataclass, field

Ids = frozenset[str]


@dataclass(frozen=True)
class Vocabulary:
    """Names of everything the catalogues hold.

    An empty set means that the names of this kind are not known, and then they are not checked.

    Parameters
    ----------
    chips, models, boards : frozenset of str
        Ids.
    families : frozenset of str
        Families of models; patterns may name them.
    tasks, datasets, metrics, runtimes, vendors, toolchains : frozenset of str
        Canonical words.
    chip_families : frozenset of str
        Families of chips; patterns may name them.
    """

    chips: Ids = field(default_factory=frozenset)
    models: Ids = field(default_factory=frozenset)
    families: Ids = field(default_factory=frozenset)
    boards: Ids = field(default_factory=frozenset)
    tasks: Ids = field(default_factory=frozenset)
    datasets: Ids = field(default_factory=frozenset)
    metrics: Ids = field(default_factory=frozenset)
    runtimes: Ids = field(default_factory=frozenset)
    vendors: Ids = field(default_factory=frozenset)
    toolchains: Ids = field(default_factory=frozenset)
    chip_families: Ids = field(default_factory=frozenset)
