// Figures and designs as text. Everything here ends up in textContent, or escaped in a plot.

const FRONT = JSON.parse(document.getElementById("front-data").textContent);
const AXES = FRONT.axes;
const ROWS = FRONT.rows.map((row, index) => ({ ...row, index }));

// A share has no unit to say, and points of a metric are what an accuracy is counted in anyway.
const UNSAID = ["", "share", "metric points"];

const withUnit = (axis, value) =>
  missing(value) || UNSAID.includes(axis.unit || "") ? say(value) : `${say(value)} ${axis.unit}`;

// Every figure a row has beside its axes, in reading order.
const FIGURES = [
  ["accuracy", "accuracy"], ["accuracy_low", "accuracy at least"],
  ["worst_case_ms", FRONT.guarantee === "p99" ? "p99 estimate" : "worst case"], ["slack_ms", "slack"], ["typical_ms", "typical time"],
  ["rate_hz", "rate"], ["rate_headroom", "rate to spare"], ["utilization", "load of the busiest resource"],
  ["power_w", "power"], ["energy_mj", "energy"], ["price_usd", "price"], ["memory_mb", "memory"],
];
const UNIT_WORDS = { "metric points": "points", "1/s": "per second", "10^6 byte": "MB" };

function amount(row, name) {
  const value = row[name];
  // Without a deadline there is no slack, though the latency is known.
  if (name === "slack_ms" && missing(value) && !missing(row.worst_case_ms)) return "no deadline";
  const unit = FRONT.units[name];
  if (missing(value)) return UNKNOWN;
  return unit === "share" ? percent(value) : `${say(value)} ${UNIT_WORDS[unit] || unit}`;
}

const gradesOf = (row) =>
  [row.grade && `time ${row.grade}`, row.accuracy_grade && `accuracy ${row.accuracy_grade}`].filter(Boolean).join(", ");

const percent = (share) => (missing(share) ? UNKNOWN : `${say(Number((100 * share).toPrecision(2)))} %`);

function network(row) {
  if (missing(row.input_h)) return String(row.model);
  const wide = missing(row.input_w) || row.input_w === row.input_h ? "" : `x${row.input_w}`;
  return `${row.model}@${row.input_h}${wide}`;
}

const places = (row) =>
  [row.unit, row.cores ? `${row.cores} ${row.cores === 1 ? "core" : "cores"}` : "", row.runtime].filter((word) => !missing(word)).join(", ");

// The whole design as pairs of a name and a text, in reading order.
function entries(row) {
  const pairs = [];
  const add = (name, ...words) => {
    const known = words.filter((word) => !missing(word));
    if (known.length) pairs.push([name, known.join(", ")]);
  };
  add("design", FRONT.kinds[row.kind] || row.kind, row.label);
  add("chip", row.chip, row.mode === "default" ? "" : row.mode, row.board && `on ${row.board}`,
    row.host && `host ${row.host}`, row.link && `over ${row.link}`);
  add("network", `${network(row)} [${row.weights || "no tag"}]`);
  add("runs as", row.precision, `batch ${say(row.batch)}`, row.batch > 1 ? row.policy : "",
    places(row) && `on ${places(row)}`, row.timeout_ms ? `waits up to ${say(row.timeout_ms)} ms` : "",
    missing(row.buffers) ? "" : `${say(row.buffers)} buffers`);
  for (const axis of AXES) add(axis.title, `${withUnit(axis, row[axis.name])} (${axis.better})`);
  for (const [name, title] of FIGURES) if (!axisOf(name) && row[name] !== undefined) add(title, amount(row, name));
  add("margins", ...Object.entries(row.margins || {}).map(([limit, share]) => `${limit} ${percent(share)}`));
  add("bottleneck", row.bottleneck, missing(row.bottleneck_load) ? "" : `${percent(row.bottleneck_load)} loaded`);
  add("grades", gradesOf(row));
  add("ties", row.ties > 1 ? `${say(row.ties)} designs are equal on every axis` : "no other design is equal on every axis");
  return pairs;
}

function definitions(row) {
  const list = document.createElement("dl");
  for (const [name, text] of entries(row)) {
    const pair = document.createElement("div");
    pair.append(element("dt", name), element("dd", text));
    list.append(pair);
  }
  return list;
}

// Plots read a little HTML in their texts: a name must not.
const escaped = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
