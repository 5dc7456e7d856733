// Ties state, plots and tables together; nothing here knows how they look.

let listed = "";

function refresh() {
  const rows = shownRows();
  offerLogs();
  const colours = colouring();
  drawScatter(rows, colours);
  drawProfile(rows, colours);
  showLegend(colours, rows);
  listRows(rows);
  markChosen();
  byId("shown").textContent = `${rows.length} of ${ROWS.length} shown`;
}

// Thousands of lines take longer to lay out than both plots: only what changes them makes them anew.
function listRows(rows) {
  const wanted = JSON.stringify([state.sort, rows.map((row) => row.index)]);
  if (wanted === listed) return;
  listed = wanted;
  fillTable("known", rows.filter((row) => row.kind !== "unknown"));
  fillTable("unknown", rows.filter((row) => row.kind === "unknown"));
}

function choose(index) {
  state.chosen = index;
  showChosen();
  refresh();
}

function showChosen() {
  const hint = "Choose a point, or the number of a row.";
  const none = () => element("p", hint, { class: "hint" });
  byId("chosen").replaceChildren(state.chosen === null ? none() : definitions(ROWS[state.chosen]));
}

function listen(id) {
  const plot = byId(id);
  if (!plot) return;
  const rowAt = (event) => ROWS[event.points[0].customdata];
  plot.on("plotly_hover", (event) => rowAt(event) && showTip(rowAt(event), event.event));
  plot.on("plotly_unhover", hideTip);
  plot.on("plotly_click", (event) => {
    if (!rowAt(event)) return;
    choose(rowAt(event).index);
    const line = document.querySelector(`tr[data-row="${state.chosen}"]`);
    // Only the table scrolls: the point that was clicked stays under the pointer.
    if (line) line.closest(".scroll").scrollTop = line.offsetTop - 80;
  });
}

function showTip(row, at) {
  const tip = byId("tip");
  tip.replaceChildren(definitions(row));
  tip.hidden = false;
  const [width, height] = [tip.offsetWidth, tip.offsetHeight];
  const left = at.clientX + 16 + width > window.innerWidth ? at.clientX - 16 - width : at.clientX + 16;
  tip.style.left = `${Math.max(4, Math.min(left, window.innerWidth - width - 4))}px`;
  tip.style.top = `${Math.max(4, Math.min(at.clientY - height / 2, window.innerHeight - height - 4))}px`;
}

function hideTip() {
  byId("tip").hidden = true;
}

function pick(event) {
  const line = event.target.closest("tr[data-row]");
  if (line) choose(Number(line.dataset.row));
}

function start() {
  makeFilters();
  makeControls();
  makeTable("known", "Every design shown that is on the front or near it");
  makeTable("unknown", "Every design shown that lacks a figure of an axis");
  byId("unknowns").hidden = !ROWS.some((row) => row.kind === "unknown");
  showChosen();
  if (window.innerWidth < 700) byId("filter").open = false;
  refresh();
  for (const id of ["scatter", "profile"]) listen(id);
  for (const id of ["known", "unknown"]) byId(id).tBodies[0].addEventListener("click", pick);
  darkness.addEventListener("change", refresh);
  for (const [name, value] of [["beforeprint", true], ["afterprint", false]]) {
    window.addEventListener(name, () => {
      printing = value;
      refresh();
    });
  }
  window.addEventListener("keydown", (event) => event.key === "Escape" && hideTip());
}

start();
