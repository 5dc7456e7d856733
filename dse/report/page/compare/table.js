// Tables of chips: sorted by any column with unknown last, a note on every figure, all figures of a row on demand.

const SOME = 10;

function compareValues(a, b) {
  if (missing(a) || missing(b)) return missing(a) - missing(b);
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}

// Unknown stays last in both directions: it is neither the best nor the worst.
function sorted(rows, { column, descending }) {
  const turn = descending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [left, right] = [column.value(a), column.value(b)];
    const order = compareValues(left, right);
    return (missing(left) || missing(right) ? order : turn * order) || a.order - b.order;
  });
}

// Roles are said by hand: as cards, on a narrow screen, a table loses those it has by itself.
function makeTable(table, columns, sort, again) {
  table.setAttribute("role", "table");
  const head = element("tr", undefined, { role: "row" });
  for (const column of columns) {
    const cell = element("th", undefined, { scope: "col", role: "columnheader", "data-key": column.key, class: column.numeric ? "numeric" : "" });
    const button = element("button", column.label, { type: "button" });
    if (column.unit) button.append(element("span", ` [${column.unit}]`, { class: "unit" }));
    button.append(element("span", "", { class: "arrow", "aria-hidden": "true" }));
    button.addEventListener("click", () => {
      sortBy(sort, column);
      again();
    });
    cell.append(button);
    head.append(cell);
  }
  head.append(element("th", "details", { scope: "col", role: "columnheader", class: "screen" }));
  const thead = element("thead", undefined, { role: "rowgroup" });
  thead.append(head);
  table.append(element("caption", table.dataset.caption || "Chips"), thead);
  for (const name of ["used", "rows"]) table.append(element("tbody", undefined, { role: "rowgroup", class: name }));
}

// The best first, and turned at the second click.
function sortBy(sort, column) {
  sort.descending = sort.column === column ? !sort.descending : column.best === "high";
  sort.column = column;
}

function fillTable(table, columns, sort, rows, open) {
  for (const cell of table.tHead.rows[0].cells) {
    if (!cell.dataset.key) continue;
    const own = sort.column && cell.dataset.key === sort.column.key;
    cell.setAttribute("aria-sort", own ? (sort.descending ? "descending" : "ascending") : "none");
    cell.querySelector(".arrow").textContent = own ? (sort.descending ? " ▼" : " ▲") : "";
  }
  const [used, others] = [rows.filter(isUsed), rows.filter((row) => !isUsed(row))];
  const lines = sorted(others, sort).flatMap((row) => linesOf(row, columns, open));
  if (!lines.length) lines.push(noneLine(columns));
  table.tBodies[0].replaceChildren(...used.flatMap((row) => linesOf(row, columns, open)));
  table.tBodies[1].replaceChildren(...lines);
  table.parentElement.classList.toggle("long", rows.length > 12);
}

function noneLine(columns) {
  const line = element("tr", undefined, { role: "row" });
  line.append(element("td", "no chip is shown", { colspan: columns.length + 1, role: "cell", class: "none" }));
  return line;
}

function linesOf(row, columns, open) {
  const line = element("tr", undefined, { role: "row", "data-chip": row.order, class: isUsed(row) ? "in-use" : `is-${row.status.replace(" ", "-")}` });
  for (const column of columns) line.append(cellOf(row, column));
  const more = element("tr", undefined, { role: "row", class: "more", id: `more-${row.id}` });
  const inside = element("td", undefined, { colspan: columns.length + 1, role: "cell" });
  more.append(inside);
  const cell = element("td", undefined, { role: "cell", class: "screen opener", "data-label": "all figures" });
  cell.append(opener(row, more, inside, open));
  line.append(cell);
  return [line, more];
}

function opener(row, more, inside, open) {
  const button = element("button", "all figures", { type: "button", class: "open", "aria-controls": more.id, "aria-label": `All figures of ${nameOf(row)}` });
  const show = () => {
    const shown = open.has(row.id);
    more.hidden = !shown;
    button.setAttribute("aria-expanded", String(shown));
    button.textContent = shown ? "close" : "show";
    if (shown && !inside.firstChild) inside.append(details(row));
  };
  button.addEventListener("click", () => {
    if (!open.delete(row.id)) open.add(row.id);
    show();
  });
  show();
  return button;
}

function cellOf(row, column) {
  const first = column.key === "chip";
  const cell = element(first ? "th" : "td", undefined, { role: first ? "rowheader" : "cell", "data-key": column.key, "data-label": column.unit ? `${column.label} [${column.unit}]` : column.label });
  if (first) cell.setAttribute("scope", "row");
  if (column.numeric) cell.classList.add("numeric");
  const [shown, under] = [column.show(row), column.under ? column.under(row) : ""];
  const about = column.facts && shown !== UNKNOWN;
  const value = element("span", undefined, { class: "value" });
  if (about) value.append(figureButton(row, column, shown));
  else value.append(element("span", shown, shown === UNKNOWN ? { class: "missing" } : {}));
  if (under) value.append(element("span", under, { class: "under" }));
  cell.append(value);
  return cell;
}
