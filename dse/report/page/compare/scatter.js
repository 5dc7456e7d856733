// Accuracy against what a chip costs, or its price or power: better is up and left.

const ACROSS = { cost_usd: "cost over the years [USD]", price_usd: "price [USD]", power_w: "power [W]" };
const POINTS = { feasible: "meets every limit", unknown: "a limit depends on an unknown figure", fails: "fails a limit", used: "in use today" };

function kindOf(row) {
  if (isUsed(row)) return "used";
  return row.status === "feasible" && lacks(row).length ? "unknown" : row.status;
}

function mark(kind, x, y) {
  const own = { class: `mark mark-${kind}` };
  if (kind === "feasible") return shape("circle", { ...own, cx: x, cy: y, r: 5.5 });
  if (kind === "unknown") return shape("path", { ...own, d: `M${x} ${y - 6}l6 6l-6 6l-6 -6z` });
  if (kind === "used") return shape("rect", { ...own, x: x - 5.5, y: y - 5.5, width: 11, height: 11 });
  return shape("path", { ...own, d: `M${x - 4} ${y - 4}l8 8m0 -8l-8 8` });
}

// The first of cost, price and power that at least two chips that may be bought have.
function bestAcross(rows) {
  const knows = (name) => rows.filter((row) => row.status !== "fails" && !missing(row[name])).length;
  return Object.keys(ACROSS).find((name) => knows(name) >= 2) || Object.keys(ACROSS).find((name) => knows(name)) || "power_w";
}

function drawScatter(figureBox, rows, name, id) {
  const box = figureBox.querySelector("[data-chart]");
  const known = rows.filter((row) => !missing(row.accuracy) && !missing(row[name]) && row[name] > 0);
  const { width, height } = roomFor(box);
  const scale = known.length ? scales(known, name, width, height) : null;
  const placed = known.filter((row) => scale.holds(row[name], row.accuracy));
  scatterNotes(figureBox, rows, name, placed, known.length - placed.length);
  if (!placed.length) return box.replaceChildren(element("p", `No chip shown has a known ${ACROSS[name]}.`, { class: "hint" }));
  const said = placed.filter((row) => kindOf(row) !== "fails").map((row) => pointWords(row, name)).join("; ");
  const picture = drawing(id, width, height, `Accuracy against ${ACROSS[name]}, one mark a chip`, said || "Only chips that fail a limit.");
  picture.append(...frame(scale, ACROSS[name]));
  const order = ["fails", "unknown", "feasible", "used"];
  const drawn = [...placed].sort((a, b) => order.indexOf(kindOf(a)) - order.indexOf(kindOf(b)));
  for (const row of drawn) picture.append(pointOf(row, name, scale));
  picture.append(...labels(placed, name, scale));
  return box.replaceChildren(picture);
}

function scatterNotes(figureBox, rows, name, placed, outside) {
  const absent = rows.filter((row) => row.status !== "no design" && row.status !== "fails" && missing(row[name]));
  const unknown = absentWords(absent);
  const beyond = outside ? `${outside} of those that fail a limit lie beyond the drawing.` : "";
  figureBox.querySelector(".hint").textContent = unknown + beyond;
  const kinds = Object.keys(POINTS).filter((kind) => placed.some((row) => kindOf(row) === kind));
  const whisker = [shape("line", { class: "whisker", x1: 8, x2: 8, y1: 0, y2: 16 }), "interval of the accuracy"];
  legend(figureBox.querySelector(".legend"), [...kinds.map((kind) => [mark(kind, 8, 8), POINTS[kind]]), ...(placed.length ? [whisker] : [])]);
}

function pointWords(row, name) {
  const { shown, range } = within(row.accuracy, row.accuracy_low, row.accuracy_high);
  return `${nameOf(row)}: ${shown} points${range ? ` (${range})` : ""}, ${name === "power_w" ? withUnit(row[name], "W") : money(row[name])}`;
}

// The drawing is as large as the chips that may be bought need; those that fail are drawn where they fall into it.
function scales(known, name, width, height) {
  const offers = known.filter((row) => kindOf(row) !== "fails");
  const framed = offers.length >= 2 ? offers : known;
  const values = framed.map((row) => row[name]);
  const isLog = Math.max(...values) > 20 * Math.min(...values);
  const ends = framed.flatMap((row) => [row.accuracy, row.accuracy_low ?? row.accuracy, row.accuracy_high ?? row.accuracy]);
  const across = isLog ? logTicks(Math.min(...values), Math.max(...values)) : ticks(0, 1.04 * Math.max(...values), width < 500 ? 4 : 8);
  const up = ticks(Math.min(...ends), Math.max(...ends), 6);
  const room = { left: 46, right: 16, top: 14, bottom: 44 };
  const along = (value, low, high) => (isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
  const [x0, x1, y0, y1] = [across[0], across[across.length - 1], up[0], up[up.length - 1]];
  return {
    across, up, isLog, width, height, room,
    holds: (x, y) => x >= x0 && x <= x1 && y >= y0 && y <= y1,
    x: (value) => room.left + along(value, x0, x1) * (width - room.left - room.right),
    y: (value) => height - room.bottom - ((value - y0) / (y1 - y0)) * (height - room.top - room.bottom),
  };
}

function frame(scale, title) {
  const { width, height, room } = scale;
  const made = [];
  for (const value of scale.up) {
    made.push(shape("line", { class: "grid", x1: room.left, x2: width - room.right, y1: scale.y(value), y2: scale.y(value) }));
    made.push(shape("text", { x: room.left - 6, y: scale.y(value) + 4, "text-anchor": "end" }, say(value)));
  }
  let last = -Infinity;
  for (const value of scale.across) {
    const x = scale.x(value);
    made.push(shape("line", { class: "grid", x1: x, x2: x, y1: room.top, y2: height - room.bottom }));
    if (x - last < 38) continue;
    last = x;
    const side = x > width - 30 ? { x: width, "text-anchor": "end" } : { x, "text-anchor": "middle" };
    made.push(shape("text", { ...side, y: height - room.bottom + 16 }, say(value)));
  }
  const log = scale.isLog ? ", logarithmic" : "";
  made.push(shape("text", { class: "axis", x: (room.left + width - room.right) / 2, y: height - 8, "text-anchor": "middle" }, `${title}${log}, less is better`));
  made.push(shape("text", { class: "axis", x: 12, y: (height - room.bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${(height - room.bottom) / 2})` }, "accuracy [points], more is better"));
  return made;
}

function pointOf(row, name, scale) {
  const group = shape("g", { class: "point" });
  const [x, y] = [scale.x(row[name]), scale.y(row.accuracy)];
  if (kindOf(row) !== "fails" && !missing(row.accuracy_low) && !missing(row.accuracy_high)) {
    group.append(shape("line", { class: "whisker", x1: x, x2: x, y1: scale.y(row.accuracy_low), y2: scale.y(row.accuracy_high) }));
  }
  group.append(mark(kindOf(row), x, y));
  return hinted(group, `${pointWords(row, name)}; ${verdict(row)}`);
}

// The names of the best, where they hide neither a mark nor another name.
function labels(placed, name, scale) {
  const taken = placed.map((row) => ({ x: scale.x(row[name]) - 7, y: scale.y(row.accuracy) - 7, w: 14, h: 14 }));
  const free = (one) => one.x > scale.room.left && one.x + one.w < scale.width && one.y > 0 &&
    !taken.some((other) => one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h);
  const made = [];
  const wanted = placed.filter((row) => kindOf(row) !== "fails").sort((a, b) => isUsed(b) - isUsed(a) || compareValues(a.rank, b.rank));
  for (const row of wanted) {
    const text = fitted(isUsed(row) ? `${nameOf(row)} (today)` : nameOf(row), scale.width < 600 ? 150 : 300);
    const [x, y, w] = [scale.x(row[name]), scale.y(row.accuracy), 6.6 * [...text].length];
    const spots = [[x + 10, y - 8], [x - 10 - w, y - 8], [x + 10, y - 24], [x - 10 - w, y - 24], [x + 10, y + 8], [x - 10 - w, y + 8]];
    const spot = spots.map(([left, top]) => ({ x: left, y: top, w, h: 15 })).find(free);
    if (!spot) continue;
    taken.push(spot);
    made.push(shape("text", { class: "name", x: spot.x, y: spot.y + 12 }, text));
  }
  return made;
}
