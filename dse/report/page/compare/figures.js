// Figures of a row as text: to the width of their interval where they have one, unknown always a word.

const DATA = JSON.parse(document.getElementById("comparison-data").textContent);
const titleOf = (name) => DATA.titles[name] || String(name).replace(/_(ms|w|usd|mb|hz|mj)$/, "").replace(/_/g, " ");

// To a tenth of the width of the interval, which is as far as anybody knows the figure.
function within(value, low, high) {
  if (missing(value)) return { shown: UNKNOWN, range: "" };
  if (missing(low) || missing(high) || !(high > low)) return { shown: say(value), range: "" };
  const decimals = Math.max(0, Math.min(4, -Math.floor(Math.log10((high - low) / 10))));
  const text = (one) => one.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return { shown: text(value), range: `${text(low)}–${text(high)}` };
}

// A printed price keeps its cents; a sum over years has none.
const cents = (value, digits) => value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const price = (value) => (missing(value) ? UNKNOWN : cents(value, Number.isInteger(value) ? 0 : 2));
const sum = (value) => (missing(value) ? UNKNOWN : cents(value, value >= 10 || value === 0 ? 0 : 2));
// Money in a sentence, as it stands elsewhere.
const grouped = (text) => String(text).replace(/\d{4,}(?= USD)/g, (digits) => Number(digits).toLocaleString("en-US"));
const percent = (share) => (missing(share) ? UNKNOWN : `${say(Number((100 * share).toPrecision(2)))} %`);
const withUnit = (value, unit) => (missing(value) ? UNKNOWN : `${say(value)} ${unit}`);
// Three digits are enough to read a time by; what is left of a deadline may be less than one of its digits.
const rough = (value) => (missing(value) ? UNKNOWN : Math.abs(value) >= 100 ? say(Math.round(value)) : say(Number(value.toPrecision(3))));

const latencyOf = (problem) => (problem.guarantee === "p99" ? "p99 estimate" : "worst case");
const nameOf = (row) => row.name || row.chip;
const isUsed = (row) => row.kind === "baseline";

function network(row) {
  if (missing(row.model)) return "";
  if (missing(row.input_h)) return String(row.model);
  const wide = missing(row.input_w) || row.input_w === row.input_h ? "" : `×${row.input_w}`;
  return `${row.model}@${row.input_h}${wide}`;
}

const overloaded = (row) => (row.breaks || []).some((one) => one.limit === "rate");

// A queue that grows without end has no worst case: that is known, and is no unknown figure.
function worstOf(row) {
  if (!missing(row.worst_case_ms)) return `${rough(row.worst_case_ms)} ms`;
  return overloaded(row) ? "no bound" : UNKNOWN;
}

function slackOf(row) {
  if (missing(row.slack_ms)) return missing(row.deadline_ms) && !missing(row.worst_case_ms) ? "no deadline" : "";
  return row.slack_ms < 0 ? `${rough(-row.slack_ms)} ms late` : `${rough(row.slack_ms)} ms to spare`;
}

const words = (...all) => all.filter((one) => !missing(one)).join(", ");
const modeOf = (row) => (missing(row.mode) || row.mode === "default" ? "" : row.mode);
