// The columns of the tables: what a cell says, what it sorts by, and what its note says.

const yearsOf = (problem) => `${say(problem.procurement.years)} years`;

// A cell is a line, and a smaller one beneath it; a column with facts has figures with a note.
function columnsOf(problem) {
  const latency = latencyOf(problem);
  const all = {
    rank: { label: "#", title: "rank", numeric: true, value: (row) => row.rank, show: (row) => (isUsed(row) ? "today" : missing(row.rank) ? "–" : String(row.rank)) },
    chip: { label: "chip", value: nameOf, show: nameOf, under: (row) => words(isUsed(row) ? "in use today" : "", row.vendor, modeOf(row)) },
    verdict: { label: "limits", value: (row) => `${Object.keys(SIGNS).indexOf(row.status)} ${verdict(row)}`, show: (row) => `${signOf(row)} ${verdict(row)}` },
    broken: { label: "what it fails, by how much", value: (row) => row.order, show: (row) => `${SIGNS[row.status]} ${verdict(row)}`,
      under: (row) => (lacks(row).length ? `and only if ${lacks(row).join(" and ")}` : "") },
    model: { label: "network", value: network, show: network, under: (row) => words(row.weights, row.precision) },
    accuracy: figure("accuracy", "accuracy", "accuracy", "points", (row) => within(row.accuracy, row.accuracy_low, row.accuracy_high),
      (row) => [["value", withUnit(row.accuracy, "points")], ["interval", within(row.accuracy, row.accuracy_low, row.accuracy_high).range], ["grade", gradeWords(row.accuracy_grade)]], true),
    worst: figure("worst_case_ms", latency, "latency", "", (row) => ({ shown: worstOf(row), range: slackOf(row) }), timeFacts),
    headroom: figure("rate_headroom", "rate to spare", "latency", "",
      (row) => ({ shown: spareRate(row), range: missing(row.rate_hz) ? "" : `${rough(row.rate_hz)} of ${rough(row.rate_required_hz)}/s` }), rateFacts, true),
    power: figure("power_w", "power", "power", "W", (row) => ({ shown: rough(row.power_w), range: missing(row.power_w) ? "" : row.power_boundary || "" }), powerFacts),
    price: figure("price_usd", "price", "price", "USD", (row) => ({ shown: price(row.price_usd), range: missing(row.price_usd) ? "" : words(row.price_kind, row.price_date) }), priceFacts),
    cost: figure("cost_usd", `cost over ${yearsOf(problem)}`, "price", "USD", (row) => ({ shown: sum(row.cost_usd), range: "" }), costFacts),
    stream: figure("cost_per_stream_usd", "cost per stream", "price", "USD", (row) => ({ shown: sum(row.cost_per_stream_usd), range: "" }), costFacts),
    score: { label: "score", numeric: true, best: "high", value: (row) => row.score ?? row.score_low,
      show: (row) => (!missing(row.score) ? cents(row.score, 2) : missing(row.score_low) ? "–" : UNKNOWN),
      under: (row) => (missing(row.score) && !missing(row.score_low) ? `${cents(row.score_low, 2)}–${cents(row.score_high, 2)}` : "") },
    weakest: { label: "weakest grade", value: (row) => row.weakest_grade, show: (row) => row.weakest_grade || UNKNOWN, under: (row) => row.weakest_figure || "" },
    comparable: { label: "comparable", value: likeFirstValue, show: likeFirst },
    wins: { label: "wins", value: (row) => row.wins_at_price_usd, show: (row) => grouped(row.wins_at_text || UNKNOWN) },
  };
  all.cost.evidence = all.stream.evidence = ["price", "power"];
  for (const [key, column] of Object.entries(all)) Object.assign(column, { key, title: column.title || column.label });
  const main = ["rank", "chip", "verdict", "model", "accuracy", "worst", "headroom", "power", "price", "cost", "stream",
    ...(problem.scored ? ["score"] : []), "weakest", "comparable"];
  const failing = ["chip", "broken", "model", "accuracy", "worst", "power", "price", "wins"];
  return { main: main.map((key) => all[key]), failing: failing.map((key) => all[key]) };
}

const likeFirstValue = (row) => (missing(row.comparable) ? null : row.comparable ? "0" : `1 ${likeFirst(row)}`);

function figure(name, label, evidence, unit, shown, facts, high) {
  return { label, unit, numeric: true, best: high ? "high" : "low", value: (row) => row[name], show: (row) => shown(row).shown,
    under: (row) => shown(row).range, facts, evidence: [evidence], name };
}

// From three times what is asked on, a percentage is hard to read.
const spareRate = (row) => (row.rate_headroom >= 2 ? `${rough(1 + row.rate_headroom)} ×` : percent(row.rate_headroom));

const timeFacts = (row) => [
  [row.latency, worstOf(row)], ["deadline", missing(row.deadline_ms) ? "none" : withUnit(row.deadline_ms, "ms")], ["slack", slackOf(row)],
  ["network alone", typical(row)], ["clock", missing(row.latency_boundary) ? "" : `at the ${row.latency_boundary}`],
  ["grade", gradeWords(row.latency_grade)],
];

function typical(row) {
  const { shown, range } = within(row.typical_ms, row.low_ms, row.high_ms);
  return missing(row.typical_ms) ? UNKNOWN : `${shown} ms${range ? ` (${range})` : ""} a batch`;
}

const rateFacts = (row) => [
  ["asked", withUnit(row.rate_required_hz, "a second")], ["reached", withUnit(row.rate_hz, "a second")],
  ["busiest", words(row.bottleneck, missing(row.utilization) ? "" : `${percent(row.utilization)} loaded`)],
];

const powerFacts = (row) => [
  ["value", withUnit(row.power_w, "W")], ["of the", row.power_boundary], ["is", row.power_basis], ["grade", gradeWords(row.power_grade)],
];

const priceFacts = (row) => [
  ["value", missing(row.price_usd) ? UNKNOWN : `${price(row.price_usd)} USD`], ["price of a", row.price_kind], ["dated", row.price_date],
  ["at a quantity of", missing(row.price_quantity) ? "" : say(row.price_quantity)], ["supplier", row.supplier], ["part number", row.mpn],
  ["valid until", row.valid_until], ["grade", gradeWords(row.price_grade)],
];

const PARTS = [["fleet_price_usd", "systems"], ["spares_usd", "spares"], ["engineering_usd", "engineering"], ["energy_usd", "energy"]];
const money = (value) => (missing(value) ? UNKNOWN : `${sum(value)} USD`);
const costFacts = (row) => [
  ...PARTS.map(([name, label]) => [label, money(row[name])]), ["together", money(row.cost_usd)],
  ["per stream", money(row.cost_per_stream_usd)],
];
