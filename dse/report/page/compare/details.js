// Every figure of one chip, in groups, with the sources in text: what a sheet of paper can show too.

const SUBTITLE = DATA.comparisons.length > 1 ? "h4" : "h3";

function details(row) {
  const box = element("div", undefined, { class: "all-figures" });
  for (const [title, pairs] of groups(row)) {
    const known = pairs.filter(([, text]) => !missing(text));
    if (!known.length) continue;
    const part = document.createElement("section");
    part.append(element(SUBTITLE, title), definitions(known));
    box.append(part);
  }
  const found = Object.entries(row.evidence || {}).map(([key, id]) => [key, DATA.evidence[id]]).filter(([, one]) => one);
  if (found.length) box.append(sources(found));
  return box;
}

function sources(found) {
  const part = element("section", undefined, { class: "sources" });
  const list = document.createElement("ul");
  for (const [key, one] of found) {
    const line = element("li", undefined);
    const text = words(gradeWords(one.grade), one.kind, one.source, one.place, one.basis && `basis: ${one.basis}`);
    line.append(element("strong", titleOf(key)), `: ${text}`);
    list.append(line);
  }
  part.append(element(SUBTITLE, "Where the figures come from"), list);
  return part;
}

const known = (value) => (missing(value) ? UNKNOWN : String(value));
const graded = (text, grade) => (text === UNKNOWN || missing(grade) ? text : `${text}, grade ${grade}`);
const ranged = ({ shown, range }, unit) => (shown === UNKNOWN ? shown : `${shown} ${unit}${range ? ` (${range})` : ""}`);

function groups(row) {
  if (row.status === "no design") return [["Verdict", verdictPairs(row)], ["Chip", chipPairs(row)]];
  return [
    ["Verdict", verdictPairs(row)], ["Chip", chipPairs(row)], ["Network", networkPairs(row)], ["Accuracy and time", timePairs(row)],
    ["Power and memory", powerPairs(row)], ["Price and supply", supplyPairs(row)], ["Cost over the years", costFacts(row)],
    ["Life and surroundings", lifePairs(row)],
  ];
}

const verdictPairs = (row) => [
  ["limits", `${signOf(row)} ${DATA.statuses[row.status]}`], ["because", row.status === "no design" ? row.reason : ""],
  ["fails", (row.breaks || []).map(brokenWords).join("; ")], ["must hold", lacks(row).join(" and ")], ["sure", row.label],
  ["weakest figure", words(row.weakest_figure, row.weakest_grade && `grade ${row.weakest_grade}`)],
  ["not like the first", (row.differs_in || []).join("; ")], ["wins", missing(row.wins_at_text) ? "" : grouped(row.wins_at_text)], ["owned", isUsed(row) && row.reason === "owned" ? "yes" : ""],
  ["score", missing(row.score) ? (missing(row.score_low) ? "" : `${cents(row.score_low, 2)} to ${cents(row.score_high, 2)}`) : cents(row.score, 2)],
];

const chipPairs = (row) => [
  ["chip", row.chip], ["vendor", row.vendor], ["form", row.form], ["board", row.board], ["host", row.host], ["link", row.link],
  ["power mode", modeOf(row)], ["chips in a system", row.devices > 1 ? say(row.devices) : ""],
];

const networkPairs = (row) => [
  ["network", words(network(row), row.weights)], ["precision", row.precision],
  ["runs on", words(row.unit, missing(row.cores) ? "" : `${say(row.cores)} ${row.cores === 1 ? "core" : "cores"}`, row.runtime)],
  ["batch", row.batch > 1 ? words(say(row.batch), row.policy, row.timeout_ms ? `waits up to ${say(row.timeout_ms)} ms` : "") : missing(row.batch) ? UNKNOWN : say(row.batch)],
  ["buffers", missing(row.buffers) ? "" : say(row.buffers)], ["toolchain", known(row.toolchain)], ["license of the weights", known(row.license)],
];

const timePairs = (row) => [
  ["accuracy", graded(ranged(within(row.accuracy, row.accuracy_low, row.accuracy_high), "points"), row.accuracy_grade)],
  [row.latency, graded(worstOf(row), row.latency_grade)],
  ["deadline", missing(row.deadline_ms) ? "none" : withUnit(row.deadline_ms, "ms")], ["slack", slackOf(row)],
  ["network alone", typical(row)], ["clock", missing(row.latency_boundary) ? UNKNOWN : `at the ${row.latency_boundary}`],
  ["real-time class", row.realtime_class], ["rate asked", withUnit(row.rate_required_hz, "a second")],
  ["rate reached", withUnit(row.rate_hz, "a second")], ["rate to spare", spareRate(row)],
  ["busiest", words(row.bottleneck, missing(row.utilization) ? "" : `${percent(row.utilization)} loaded`)],
];

const powerPairs = (row) => [
  ["power", graded(withUnit(row.power_w, "W"), row.power_grade)], ["power of the", missing(row.power_w) ? "" : known(row.power_boundary)],
  ["that is", missing(row.power_w) ? "" : row.power_basis], ["energy of one item", graded(withUnit(row.energy_mj, "mJ"), row.energy_grade)],
  ["memory", withUnit(row.memory_mb, "MB")],
];

const supplyPairs = (row) => [
  ["price", graded(missing(row.price_usd) ? UNKNOWN : `${price(row.price_usd)} USD`, row.price_grade)],
  ["of a", row.price_kind], ["dated", row.price_date], ["at a quantity of", missing(row.price_quantity) ? "" : say(row.price_quantity)],
  ["supplier", known(row.supplier)], ["part number", known(row.mpn)], ["valid until", row.valid_until],
  ["lead time", withUnit(row.lead_time_weeks, "weeks")],
];

function lifePairs(row) {
  const cold = missing(row.temperature_min_c) && missing(row.temperature_max_c);
  const range = `${missing(row.temperature_min_c) ? UNKNOWN : say(row.temperature_min_c)} to ${missing(row.temperature_max_c) ? UNKNOWN : say(row.temperature_max_c)} °C`;
  return [
    ["temperature", cold ? UNKNOWN : words(range, row.temperature_at)],
    ["sold", missing(row.lifecycle_status) ? UNKNOWN : words(row.lifecycle_status, row.lifecycle_as_of && `as of ${row.lifecycle_as_of}`)],
    ["made until", known(row.lifecycle_until)], ["last order", known(row.last_buy)],
  ];
}
