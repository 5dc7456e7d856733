// The tables of rows: sorted by any column, unknown figures last, one row chosen together with its point.

const text = (key, label) => ({ key, label, value: (row) => row[key], show: (row) => (missing(row[key]) ? "" : String(row[key])) });
const COLUMNS = [
  { key: "index", label: "#", numeric: true, value: (row) => row.index, show: (row) => String(row.index + 1) },
  { key: "kind", label: "kind", value: (row) => Object.keys(FRONT.kinds).indexOf(row.kind), show: (row) => row.kind },
  text("chip", "chip"),
  { key: "model", label: "network", value: network, show: network },
  ...AXES.map((axis) => ({ key: axis.name, label: axis.title, numeric: true, axis,
    value: (row) => row[axis.name], show: (row) => say(row[axis.name]) })),
  text("board", "board"),
  { ...text("mode", "mode"), show: (row) => (row.mode === "default" || missing(row.mode) ? "" : row.mode) },
  { ...text("weights", "weights"), show: (row) => row.weights || "no tag" },
  text("precision", "precision"),
  { key: "batch", label: "batch", numeric: true, value: (row) => row.batch, show: (row) => say(row.batch) },
  { key: "unit", label: "runs on", value: places, show: places },
  { key: "tightest_margin", label: "tightest limit", value: (row) => row.tightest_margin,
    show: (row) => (missing(row.tightest_limit) ? "" : `${row.tightest_limit}, ${percent(row.tightest_margin)} to spare`) },
  text("bottleneck", "bottleneck"),
  { key: "grade", label: "grades", value: gradesOf, show: gradesOf },
  text("label", "label"),
  { key: "ties", label: "ties", numeric: true, value: (row) => row.ties, show: (row) => say(row.ties) },
];

// What a sheet of paper has no room for.
const MINOR = ["mode", "batch", "unit", "bottleneck", "label"];
const classOf = (column) => `${column.numeric ? "numeric" : ""} ${MINOR.includes(column.key) ? "minor" : ""}`.trim();

function compare(a, b) {
  if (missing(a) || missing(b)) return missing(a) - missing(b);
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}

// Unknown stays last in both directions: it is neither the best nor the worst.
function sorted(rows) {
  const { value } = COLUMNS.find((column) => column.key === state.sort.key);
  const turn = state.sort.descending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [left, right] = [value(a), value(b)];
    const order = compare(left, right);
    return (missing(left) || missing(right) ? order : turn * order) || a.index - b.index;
  });
}

function sortBy(column) {
  const same = state.sort.key === column.key;
  const bestFirst = Boolean(column.axis) && column.axis.sense === "maximize";
  state.sort = { key: column.key, descending: same ? !state.sort.descending : bestFirst };
  listRows(shownRows());
  markChosen();
}

function makeTable(id, caption) {
  const head = document.createElement("tr");
  for (const column of COLUMNS) {
    const cell = element("th", undefined, { scope: "col", "data-key": column.key, class: classOf(column) });
    const button = element("button", column.label, { type: "button" });
    button.append(element("span", "", { class: "arrow", "aria-hidden": "true" }));
    if (column.axis) cell.append(button, element("span", column.axis.better, { class: "better" }));
    else cell.append(button);
    button.addEventListener("click", () => sortBy(column));
    head.append(cell);
  }
  const thead = document.createElement("thead");
  thead.append(head);
  byId(id).append(element("caption", caption), thead, document.createElement("tbody"));
}

function fillTable(id, rows) {
  for (const cell of byId(id).tHead.rows[0].cells) {
    const own = cell.dataset.key === state.sort.key;
    cell.setAttribute("aria-sort", own ? (state.sort.descending ? "descending" : "ascending") : "none");
    cell.querySelector(".arrow").textContent = own ? (state.sort.descending ? " ▼" : " ▲") : "";
  }
  const made = sorted(rows).map(rowOf);
  if (!made.length) {
    const none = document.createElement("tr");
    none.append(element("td", "none is shown", { colspan: COLUMNS.length, class: "none" }));
    made.push(none);
  }
  byId(id).tBodies[0].replaceChildren(...made);
}

function rowOf(row) {
  const line = element("tr", undefined, { "data-row": row.index });
  for (const column of COLUMNS) {
    const cell = document.createElement("td");
    const shown = column.show(row);
    if (column.key === "index") {
      const label = `Show design ${shown}: ${row.chip}, ${network(row)}`;
      cell.append(element("button", shown, { type: "button", class: "pick", "aria-label": label }));
    } else cell.textContent = shown;
    cell.className = classOf(column);
    if (column.axis && missing(column.value(row))) cell.classList.add("missing");
    line.append(cell);
  }
  return line;
}

function markChosen() {
  for (const line of document.querySelectorAll("tr[aria-current]")) line.removeAttribute("aria-current");
  const line = document.querySelector(`tr[data-row="${state.chosen}"]`);
  if (line) line.setAttribute("aria-current", "true");
}
