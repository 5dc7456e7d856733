"""Problems with few candidates, so that a point takes a fraction of a second."""

from __future__ import annotations

ONE = """\
name: Quick
tasks: {name: see, task: visual-wake-words, rate_hz: 1, deadline_ms: 1000, overhead_ms: 60}
search: {chips: [stm32h7, nrf5340, stm32u575], precisions: [int8]}
limits: {power_w: 1}
"""
TWO = """\
tasks:
  - {name: see, task: visual-wake-words, rate_hz: 1, overhead_ms: 60}
  - {name: again, task: visual-wake-words, after: see, deadline_ms: none}
chains: [{name: both, tasks: [see, again], deadline_ms: 1500}]
search: {chips: [stm32h7, nrf5340], precisions: [int8]}
limits: {power_w: 1}
"""
