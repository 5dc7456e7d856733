// The controls: what they offer, and how a choice reaches the state.

function makeChips() {
  const counts = new Map();
  for (const row of ROWS) counts.set(row.chip, (counts.get(row.chip) || 0) + 1);
  for (const chip of [...counts.keys()].sort()) {
    const label = document.createElement("label");
    const box = element("input", undefined, { type: "checkbox", value: chip });
    box.checked = true;
    box.defaultChecked = true;
    label.append(box, ` ${chip} (${counts.get(chip)})`);
    byId("chips").append(label);
  }
}

const chipBoxes = () => [...byId("chips").querySelectorAll("input")];

function readChips() {
  state.chips = new Set(chipBoxes().filter((box) => box.checked).map((box) => box.value));
  refresh();
}

// "All" and "None" mean the chips that the search leaves in the list.
function setChips(checked) {
  for (const box of chipBoxes()) if (!box.parentElement.hidden) box.checked = checked;
  readChips();
}

function searchChips() {
  const wanted = byId("chip-search").value.toLowerCase();
  for (const box of chipBoxes()) box.parentElement.hidden = !box.value.toLowerCase().includes(wanted);
}

function offer(id, options) {
  for (const [value, label] of options) byId(id).append(element("option", label, { value }));
  byId(id).value = state[id];
  byId(id).addEventListener("change", () => {
    state[id] = byId(id).value;
    refresh();
  });
}

function makeControls() {
  const axes = AXES.map((axis) => [axis.name, `${axis.title} (${axis.better})`]);
  offer("x", axes);
  offer("y", axes);
  offer("colour", [...axes, ...Object.entries(WORD_COLOURS)]);
  for (const side of ["x", "y"]) {
    byId(`${side}-log`).addEventListener("change", (event) => {
      state.log[side] = event.target.checked;
      refresh();
    });
  }
}

// A logarithmic axis has no place for 0 and less: it is offered only where every figure is above.
function offerLogs() {
  for (const side of ["x", "y"]) {
    const possible = ROWS.every((row) => missing(row[state[side]]) || row[state[side]] > 0);
    const box = byId(`${side}-log`);
    box.disabled = !possible;
    if (!possible) box.checked = state.log[side] = false;
  }
}

function makeFilters() {
  makeChips();
  byId("chips").addEventListener("change", readChips);
  byId("chip-search").addEventListener("input", searchChips);
  byId("chips-all").addEventListener("click", () => setChips(true));
  byId("chips-none").addEventListener("click", () => setChips(false));
  byId("model-search").addEventListener("input", (event) => {
    state.model = event.target.value.trim();
    refresh();
  });
  for (const input of document.querySelectorAll("[data-bound]")) {
    input.addEventListener("input", () => {
      delete state.bounds[input.dataset.bound];
      if (Number.isFinite(input.valueAsNumber)) state.bounds[input.dataset.bound] = input.valueAsNumber;
      refresh();
    });
  }
  for (const box of document.querySelectorAll("[data-kind]")) {
    box.addEventListener("change", () => {
      if (box.checked) state.kinds.add(box.dataset.kind);
      else state.kinds.delete(box.dataset.kind);
      refresh();
    });
  }
  const form = document.querySelector("#filter form");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(afterReset));
}

function afterReset() {
  state.model = "";
  state.bounds = {};
  state.kinds = new Set(Object.keys(FRONT.kinds));
  state.chosen = null;
  showChosen();
  searchChips();
  readChips();
}
