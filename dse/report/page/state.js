// What the user has chosen, and which rows are left by it.

const state = {
  x: AXES.length > 1 ? AXES[1].name : AXES[0].name,
  y: AXES[0].name,
  colour: AXES.length > 2 ? AXES[2].name : "chip",
  log: { x: false, y: false },
  chips: new Set(ROWS.map((row) => row.chip)),
  kinds: new Set(Object.keys(FRONT.kinds)),
  model: "",
  bounds: {},
  sort: { key: AXES[0].name, descending: AXES[0].sense === "maximize" },
  chosen: null,
};

const axisOf = (name) => AXES.find((axis) => axis.name === name);
const reads = (row, text) => `${network(row)} ${row.weights || ""}`.toLowerCase().includes(text.toLowerCase());

function keepsBound(row, name, bound) {
  const value = row[name];
  if (missing(value)) return false;
  return axisOf(name).sense === "maximize" ? value >= bound : value <= bound;
}

function shownRows() {
  const bounds = Object.entries(state.bounds);
  return ROWS.filter(
    (row) =>
      state.chips.has(row.chip) &&
      state.kinds.has(row.kind) &&
      reads(row, state.model) &&
      bounds.every(([name, bound]) => keepsBound(row, name, bound)),
  );
}

// The points nothing among these rows beats on two axes alone, from the best x to the best y.
function staircase(rows, x, y) {
  const sign = (axis) => (axis.sense === "maximize" ? -1 : 1);
  const points = rows
    .filter((row) => !missing(row[x.name]) && !missing(row[y.name]))
    .map((row) => [sign(x) * row[x.name], sign(y) * row[y.name]])
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const steps = [];
  for (const point of points) if (!steps.length || point[1] < steps[steps.length - 1][1]) steps.push(point);
  return { x: steps.map((point) => sign(x) * point[0]), y: steps.map((point) => sign(y) * point[1]) };
}
