"""A small catalogue folder that is sound, to break one thing at a time."""

from __future__ import annotations

from pathlib import Path

CHIP = """\
- id: my-chip
  vendor: Mine
  class: camera-soc
  form: soc
  units: [{id: npu, count: 2, peak_tops: {int8: 4}, one_inference_share: 0.5, precisions: [int8]}]
  modes: [{id: fast, reference: true, budget_w: 5}, {id: slow, compute_scale: 0.5}]
  memory: {type: LPDDR4, bandwidth_gbs: 12.8, capacity_gb: 4}
  power: {idle_w: 1, typical_w: 3, max_w: 5}
  prices: [{usd: 20, quantity: 1000, date: 2026-01, kind: chip}]
  sources: {npu: "read 2026-01: my data sheet", power: recalled 2026-01}
"""
FILES = {
    "chips/mine.yaml": CHIP,
    "models/models.csv": (
        "id,weights,task,dataset,metric,input_h,input_w,params_m,gmacs,binary_gmacs,macs_source\n"
        "mynet,v1,image-classification,imagenet-1k,top1,224,224,3.5,0.3,,my counter\n"
    ),
    "models/accuracies.csv": (
        "id,weights,dataset,metric,input_h,input_w,precision,toolchain,accuracy,low,high,subset,accuracy_source\n"
        "mynet,v1,imagenet-1k,top1,224,224,fp32,,72,71,73,False,my lab\n"
        "mynet,v1,imagenet-1k,top1,224,224,int8,mytool,71,,,False,my lab\n"
    ),
    "measurements/mine.csv": (
        "chip,mode,unit,cores,streams,runtime,model,input_h,input_w,precision,batch,quantity,time_ms_per_item,"
        "statistic,boundary,power_w,power_boundary,memory_mb,source_repo\n"
        "my-chip,,npu,1,1,myrt,mynet,224,224,int8,1,latency,4.5,mean,chip,2.5,board,12,my lab\n"
        "my-chip,slow,npu,1,1,myrt,mynet,,,int8,1,latency,9,mean,chip,,,,my lab\n"
        "my-chip,,npu,1,1,myrt,mynet,224,224,int8,4,latency,4,mean,chip,,,,my lab\n"
    ),
    "tails.csv": (
        "class,p999_over_mean,p99_over_mean,stall_ms,grade,source\n"
        "soc-npu,1.6,1.2,,E,assumed\ncpu-arm,2.3,1.5,57,C,runs\nmcu,1.05,1.03,,E,assumed\n"
    ),
    "toolchains.csv": "pattern,group\nmytool*,mine\n",
}


def folder(root: Path, **changes: str | None) -> Path:
    """Write the folder; a change gives a file (named by its stem) other content, None leaves it out."""
    for label, text in FILES.items():
        stem = label.rpartition("/")[2].partition(".")[0] if label != "measurements/mine.csv" else "speeds"
        stem = "chips" if label == "chips/mine.yaml" else stem
        content = changes.get(stem, text)
        if content is not None:
            path = root / label
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
    return root
