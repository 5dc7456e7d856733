// Ties data, filters, tables and charts of each problem together; nothing here knows how they look.

function startProblem(article) {
  const index = Number(article.dataset.problem);
  const problem = DATA.comparisons[index];
  const rows = problem.rows.map((row, order) => ({ ...row, order, id: `p${index}-${order}`, latency: latencyOf(problem) }));
  const columns = columnsOf(problem);
  const state = { open: new Set(), main: { column: columns.main[0], descending: false }, failing: { column: columns.failing[1], descending: false }, all: {} };
  const view = { article, index, problem, rows, columns, state };
  const refresh = () => fillTables(view);
  const filter = () => {
    refresh();
    drawAll(view);
  };
  const tables = { main: byId(`p${index}-known`), failing: byId(`p${index}-fails`) };
  tables.main.dataset.caption = "One row per chip that meets every limit or may";
  makeTable(tables.main, columns.main, state.main, refresh);
  if (tables.failing) {
    tables.failing.dataset.caption = "One row per chip that fails a limit";
    makeTable(tables.failing, columns.failing, state.failing, refresh);
  }
  view.tables = tables;
  listenToFilters(view, refresh, filter);
  offerAcross(view);
  refresh();
  return view;
}

function listenToFilters(view, refresh, filter) {
  const form = view.article.querySelector(".filter");
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const box of form.querySelectorAll("input")) box.addEventListener("input", filter);
  const sort = form.querySelector("[data-sort]");
  for (const column of view.columns.main) sort.append(element("option", column.title === "rank" ? "rank" : column.label, { value: column.key }));
  sort.addEventListener("change", () => {
    view.state.main.column = null;
    sortBy(view.state.main, view.columns.main.find((column) => column.key === sort.value));
    refresh();
  });
  for (const more of view.article.querySelectorAll("[data-all]")) {
    more.addEventListener("click", () => {
      view.state.all[more.dataset.all] = !view.state.all[more.dataset.all];
      refresh();
    });
  }
}

const textOf = (row) => words(row.name, row.chip, row.vendor, row.board, network(row), row.weights, row.runtime).toLowerCase();

function fillTables(view) {
  hideNote();
  const { article, state, rows, tables } = view;
  const wanted = article.querySelector("[data-find]").value.trim().toLowerCase();
  const statuses = new Set([...article.querySelectorAll("[data-status]")].filter((box) => box.checked).map((box) => box.dataset.status));
  // What is in use today is what everything is compared with: it stays whatever is filtered.
  const shown = rows.filter((row) => isUsed(row) || (statuses.has(row.status) && textOf(row).includes(wanted)));
  const failing = shown.filter((row) => row.status === "fails" && !isUsed(row));
  const main = shown.filter((row) => row.status !== "fails" || isUsed(row));
  // A wide window scrolls the table by itself; cards on a narrow one would push all else away.
  fillSome(view, "main", main, window.innerWidth > 700 ? Infinity : SOME);
  article.querySelector("[data-sort]").value = state.main.column.key;
  if (tables.failing) fillSome(view, "failing", failing, SOME);
  for (const part of article.querySelectorAll("[data-part]")) part.hidden = !statuses.has(part.dataset.part);
  findNothing(article, wanted);
  view.shown = shown;
  const chips = rows.filter((row) => !isUsed(row)).length;
  article.querySelector(".shown").textContent = `${shown.filter((row) => !isUsed(row)).length} of ${chips} chips with a design shown`;
}

// The first of what the table is sorted by, and a button for the others; what is in use is one of none.
function fillSome(view, which, rows, most) {
  const { state, columns, tables, article } = view;
  const [used, others] = [rows.filter(isUsed), sorted(rows.filter((row) => !isUsed(row)), state[which])];
  const all = state.all[which];
  fillTable(tables[which], columns[which], state[which], [...used, ...(all ? others : others.slice(0, most))], state.open);
  const more = article.querySelector(`[data-all=${which}]`);
  more.hidden = others.length <= most;
  const left = all ? 0 : Math.max(0, others.length - most);
  more.nextElementSibling.textContent = left ? `${left} more chips are in the page itself.` : "";
  more.textContent = all ? `Show only the first ${most}` : `Show all ${others.length}`;
}

function findNothing(article, wanted) {
  for (const name of article.querySelectorAll(".names li")) name.hidden = !name.textContent.toLowerCase().includes(wanted);
}

function offerAcross(view) {
  const across = view.article.querySelector("[data-across]");
  for (const [value, label] of Object.entries(ACROSS)) across.append(element("option", label, { value }));
  across.value = bestAcross(view.rows);
  across.addEventListener("change", () => drawAll(view));
}

function drawAll(view) {
  const { article, index, shown } = view;
  const box = (name) => article.querySelector(`[data-chart=${name}]`).closest("figure");
  drawScatter(box("scatter"), shown, article.querySelector("[data-across]").value, `p${index}-scatter`);
  drawCosts(box("cost"), shown, `p${index}-cost`);
  drawDeadlines(box("deadline"), shown, latencyOf(view.problem), `p${index}-deadline`);
}

function start() {
  const views = [...document.querySelectorAll("article.problem")].map(startProblem);
  listenForNotes();
  let width = window.innerWidth;
  views.forEach(drawAll);
  window.addEventListener("resize", () => {
    // A phone's bars come and go as it scrolls: only another width needs other drawings.
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    views.forEach(fillTables);
    views.forEach(drawAll);
  });
  for (const [name, value] of [["beforeprint", true], ["afterprint", false]]) {
    window.addEventListener(name, () => {
      printing = value;
      views.forEach(drawAll);
    });
  }
}

start();
