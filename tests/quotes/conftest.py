"""A catalogue of two chips and a card with all its list prices known, and problems and quotations beside it.

Alone, old-chip costs 40 USD (36 from 100 pieces on), other-chip 50 USD and the card 70 USD; its board acc-sbc with the
computer it is plugged into 25 + 60 = 85 USD.
"""

from __future__ import annotations

import pytest

from dse.api import knowledge_of

WORK = {"net-a": 0.3, "net-b": 0.5, "net-c": 1.0, "net-d": 2.0, "net-e": 4.0, "net-f": 8.0}
CHIPS = """\
- {id: old-chip, vendor: A, class: camera-soc, form: soc, cpu_cores: 4, power: {max_w: 5},
   units: [{id: npu, peak_tops: {int8: 4}, precisions: [int8]}],
   prices: [{usd: 39, quantity: 1, date: 2025-01, kind: chip}, {usd: 40, date: 2026-01, kind: chip},
            {usd: 36, quantity: 100, date: 2024-01, kind: chip}, {usd: 99, quantity: 1, date: 2026-06, kind: kit}]}
- {id: other-chip, vendor: B, class: camera-soc, form: soc, cpu_cores: 4, power: {max_w: 6},
   units: [{id: npu, peak_tops: {int8: 2}, precisions: [int8]}],
   prices: [{usd: 50, quantity: 1000, date: 2026-01, kind: chip}]}
- {id: acc, vendor: C, class: card, form: m2-card, power: {max_w: 3},
   units: [{id: npu, peak_tops: {int8: 4}, precisions: [int8]}],
   links: [{id: pcie, kind: pcie, generation: '3', lanes: 1, gbs: 1.0}],
   prices: [{usd: 70, quantity: 1, date: 2026-01, kind: card}]}
"""
BOARDS = """\
- {id: sbc, vendor: A, chip: other-chip, form: sbc, host: {cpu_cores: 4}, mpn: SBC-1, power: {max_w: 8},
   prices: [{usd: 60, quantity: 1, date: 2026-01, kind: board}]}
- {id: acc-sbc, vendor: C, chip: acc, form: m2-card, host: {board: sbc}, mpn: ACC-9, power: {max_w: 3},
   prices: [{usd: 25, quantity: 1, date: 2026-01, kind: card}]}
"""
SPEEDS = (
    "chip,unit,runtime,model,input_h,input_w,precision,batch,quantity,time_ms_per_item,statistic,boundary,source_repo"
)
SCALES = {"old-chip": 10, "other-chip": 10, "acc": 10}
FILES = {
    "chips/a.yaml": CHIPS,
    "boards/a.yaml": BOARDS,
    "models/models.csv": "id,weights,family,task,dataset,metric,input_h,input_w,params_m,gmacs,activations_m,source\n"
    + "".join(f"{m},v1,f,image-classification,imagenet-1k,top1,224,224,{3 * g},{g},5,lab\n" for m, g in WORK.items()),
    "models/accuracies.csv": "id,weights,dataset,metric,input_h,input_w,precision,toolchain,accuracy,accuracy_source\n"
    + "".join(f"{m},v1,imagenet-1k,top1,224,224,int8,t,70,lab\n" for m in WORK),
    "measurements/a.csv": SPEEDS
    + "\n"
    + "".join(
        f"{chip},npu,rt,{m},224,224,int8,1,latency,{scale * g**0.75:.4f},mean,chip,lab\n"
        for chip, scale in SCALES.items()
        for m, g in WORK.items()
    ),
    "tails.csv": "class,p999_over_mean,p99_over_mean,stall_ms,grade,source\n"
    "soc-npu,1.5,1.2,,E,assumed\ncpu-arm,2,1.5,,E,assumed\nnpu-m2-card,1.5,1.2,,E,assumed\n",
    "toolchains.csv": "pattern,group\nt*,t\n",
}
PROBLEM = """\
version: 1
name: Which chip
tasks:
  - {name: see, task: image-classification, rate_hz: 1, deadline_ms: 500, overhead_ms: 0, models: [net-a]}
objectives: [{minimize: price_usd}]
"""
HEADER = "item,supplier,mpn,price,currency,moq,quantity_from,lead_time_weeks,valid_until"


@pytest.fixture(scope="session")
def root(tmp_path_factory):
    """The folder of the catalogue."""
    folder = tmp_path_factory.mktemp("quoted")
    for label, text in FILES.items():
        (folder / label).parent.mkdir(parents=True, exist_ok=True)
        (folder / label).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def shop(root, tmp_path, tmp_path_factory, monkeypatch):
    """Write a problem with these fields of `procurement` and these quotations; gives its path."""
    monkeypatch.setattr("dse.estimate.store.shipped_root", lambda: root)
    monkeypatch.setenv("DSE_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "quoted-cache"))
    monkeypatch.chdir(tmp_path)
    knowledge_of.cache_clear()

    def write(*rows, header=HEADER, text=None, procurement="", rest=""):
        buys = f"procurement: {{quotes: q.csv{', ' if procurement else ''}{procurement}}}\n"
        (tmp_path / "q.csv").write_text(
            text if text is not None else "\n".join((header, *rows)) + "\n", encoding="utf-8"
        )
        (tmp_path / "p.yaml").write_text(PROBLEM + buys + rest, encoding="utf-8")
        return tmp_path / "p.yaml"

    yield write
    knowledge_of.cache_clear()
