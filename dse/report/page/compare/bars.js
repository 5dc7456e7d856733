// Bars, one chip beneath the other: what its cost is made of, and its worst case against the deadline.

const MOST = 15;
const BAR = { row: 42, height: 16, top: 4 };

// The chips that may be bought and the one in use, in their order.
const offered = (rows) => rows.filter((row) => isUsed(row) || row.status === "feasible" || row.status === "unknown");

function restWords(all, drawn, without) {
  const more = all.length - drawn.length;
  const unknown = absentWords(without);
  return `${unknown}${more > 0 ? `The first ${drawn.length} of ${all.length} are drawn; the table has all.` : ""}`;
}

const PATTERNS = { fleet_price_usd: "", spares_usd: "M0 6L6 0", engineering_usd: "M0 3H6", energy_usd: "M3 0V6" };

function patterns(id) {
  const made = shape("defs");
  for (const [name, path] of Object.entries(PATTERNS)) {
    const one = shape("pattern", { id: `${id}-${name}`, width: 6, height: 6, patternUnits: "userSpaceOnUse" });
    one.append(shape("rect", { class: `part part-${name}`, width: 6, height: 6 }));
    if (path) one.append(shape("path", { class: "stroke", d: path }));
    made.append(one);
  }
  return made;
}

function heading(picture, row, text, width, top) {
  const value = shape("text", { x: width, y: top, "text-anchor": "end" }, text);
  const own = isUsed(row) ? `${nameOf(row)} (in use today)` : missing(row.rank) ? nameOf(row) : `${row.rank} ${nameOf(row)}`;
  picture.append(shape("text", { class: "name", x: 0, y: top }, fitted(own, width - 7 * text.length - 10)), value);
}

function drawCosts(figureBox, rows, id) {
  const box = figureBox.querySelector("[data-chart]");
  const all = offered(rows).filter((row) => !missing(row.cost_usd));
  const without = offered(rows).filter((row) => missing(row.cost_usd) && row.status !== "no design");
  const drawn = all.slice(0, MOST);
  figureBox.querySelector(".hint").textContent = restWords(all, drawn, without);
  if (!drawn.length) return box.replaceChildren(element("p", "No chip's cost is known.", { class: "hint" }));
  const { width } = roomFor(box);
  const most = Math.max(...drawn.map((row) => row.cost_usd)) || 1;
  const said = drawn.map((row) => `${nameOf(row)}: ${costFacts(row).map(([name, text]) => `${name} ${text}`).join(", ")}`).join("; ");
  const picture = drawing(id, width, drawn.length * BAR.row + BAR.top, "Cost of each chip in its parts", said);
  picture.append(patterns(id));
  drawn.forEach((row, k) => {
    const top = BAR.top + k * BAR.row;
    heading(picture, row, `${sum(row.cost_usd)} USD`, width, top + 12);
    let left = 0;
    for (const [name, label] of PARTS) {
      const long = (row[name] / most) * width;
      if (long > 0) picture.append(hinted(shape("rect", { class: "bar", x: left, y: top + 17, width: long, height: BAR.height, fill: `url(#${id}-${name})` }), `${nameOf(row)}, ${label}: ${money(row[name])}`));
      left += long;
    }
  });
  const shown = PARTS.filter(([name]) => drawn.some((row) => row[name] > 0));
  legend(figureBox.querySelector(".legend"), shown.map(([name, label]) => [shape("rect", { class: "bar", x: 1, y: 1, width: 14, height: 14, fill: `url(#${id}-${name})` }), label]));
  return box.replaceChildren(picture);
}

function drawDeadlines(figureBox, rows, latency, id) {
  const box = figureBox.querySelector("[data-chart]");
  const all = offered(rows).filter((row) => !missing(row.worst_case_ms));
  const without = offered(rows).filter((row) => missing(row.worst_case_ms) && row.status !== "no design");
  const drawn = all.slice(0, MOST);
  figureBox.querySelector(".hint").textContent = restWords(all, drawn, without);
  if (!drawn.length) return box.replaceChildren(element("p", `No chip's ${latency} is known.`, { class: "hint" }));
  const { width } = roomFor(box);
  const most = Math.max(...drawn.flatMap((row) => [row.worst_case_ms, row.deadline_ms || 0])) * 1.005;
  const said = drawn.map((row) => `${nameOf(row)}: ${words(worstOf(row), slackOf(row))}`).join("; ");
  const picture = drawing(id, width, drawn.length * BAR.row + BAR.top, `${latency} of each chip against the deadline`, said);
  drawn.forEach((row, k) => deadlineBar(picture, row, BAR.top + k * BAR.row, width, (value) => (value / most) * width));
  const entries = [[shape("rect", { class: "part part-fleet_price_usd", x: 1, y: 3, width: 14, height: 10 }), latency]];
  if (drawn.some((row) => row.slack_ms > 0)) entries.push([shape("rect", { class: "slack", x: 1, y: 3, width: 14, height: 10 }), "to spare"]);
  if (drawn.some((row) => row.slack_ms < 0)) entries.push([shape("rect", { class: "late", x: 1, y: 3, width: 14, height: 10 }), "too late"]);
  if (drawn.some((row) => !missing(row.deadline_ms))) entries.push([shape("line", { class: "deadline", x1: 8, x2: 8, y1: 0, y2: 16 }), `deadline ${words(...new Set(drawn.map((row) => row.deadline_ms).filter((one) => !missing(one)).map((one) => `${say(one)} ms`)))}`]);
  legend(figureBox.querySelector(".legend"), entries);
  return box.replaceChildren(picture);
}

function deadlineBar(picture, row, top, width, x) {
  const deadline = row.deadline_ms;
  heading(picture, row, words(worstOf(row), slackOf(row)), width, top + 12);
  const within = missing(deadline) ? row.worst_case_ms : Math.min(deadline, row.worst_case_ms);
  const side = { y: top + 17, height: BAR.height };
  picture.append(shape("rect", { class: "part part-fleet_price_usd", x: 0, width: x(within), ...side }));
  if (missing(deadline)) return;
  const late = row.worst_case_ms > deadline;
  const [from, to] = [x(within), x(late ? row.worst_case_ms : deadline)];
  picture.append(shape("rect", { class: late ? "late" : "slack", x: from, width: Math.max(0, to - from), ...side }));
  picture.append(shape("line", { class: "deadline", x1: x(deadline), x2: x(deadline), y1: top + 14, y2: top + 36 }));
}
