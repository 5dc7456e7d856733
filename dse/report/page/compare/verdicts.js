// What a chip breaks and by how much, and what must hold where a figure is unknown; in words.

const SIGNS = { feasible: "✓", unknown: "?", fails: "✗", "no design": "–" };

function excess(one) {
  const over = one.value > one.bound;
  if (missing(one.share)) return "";
  if (over && one.share >= 2) return `, ${rough(1 + one.share)} times as much`;
  return `, ${percent(one.share)} ${over ? "over" : "short"}`;
}

function brokenWords(one) {
  if (one.limit === "rate" && !missing(one.value)) {
    const load = one.value >= 3 ? `${rough(one.value)} times its capacity` : `${Math.round(100 * one.value)} %`;
    return `cannot keep up with the rate: loaded ${load}`;
  }
  const numbers = typeof one.value === "number" && typeof one.bound === "number";
  if (!numbers || missing(one.share) || !String(one.text).startsWith(`${one.limit}: `) || one.value * one.bound <= 0) {
    return String(one.text).replace(new RegExp(`^${escapeRegExp(one.limit)}\\b`), titleOf(one.limit));
  }
  const unit = one.unit ? ` ${one.unit}` : "";
  return `${titleOf(one.limit)} ${say(one.value)}${unit}, asked ${one.value > one.bound ? "≤" : "≥"} ${say(one.bound)}${unit}${excess(one)}`;
}

const escapeRegExp = (text) => String(text).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// Too much load makes the worst case endless and the utilization too high: the same fault, said once.
function breaks(row) {
  const all = row.breaks || [];
  const follows = (one) => one.limit === "utilization" || (one.limit === "deadline_ms" && missing(one.value));
  return all.filter((one) => !overloaded(row) || !follows(one)).map(brokenWords);
}

const lacks = (row) => (row.lacks || []).map((one) => grouped(`${titleOf(one.figure)} ${one.must}`));

function verdict(row) {
  if (row.status === "fails") return breaks(row).join("; ") || DATA.statuses.fails;
  if (row.status === "no design") return row.reason || DATA.statuses["no design"];
  return lacks(row).length ? `if ${lacks(row).join(" and ")}` : DATA.statuses.feasible;
}

const signOf = (row) => (row.status === "feasible" && lacks(row).length ? SIGNS.unknown : SIGNS[row.status]);

function likeFirst(row) {
  if (row.rank === 1) return "reference";
  if (row.comparable === true) return "yes";
  if (row.comparable === false) return `no: ${(row.differs_in || []).map((text) => String(text).split(":")[0]).join(", ")}`;
  return UNKNOWN;
}
