// Colours of rows by chip, word or axis, in both schemes, and the legend that says what they mean.

const SCHEMES = {
  light: {
    ink: "#1c2430", faint: "#5a6675", line: "#d5dae1", paper: "#ffffff", other: "#6b7480", accent: "#0b57b0",
    words: ["#1f6fb2", "#c2500a", "#16803c", "#a3329b", "#8a6d00", "#0e7f8c", "#c0264b", "#5b4fcf"],
    steps: ["#1b1464", "#3b2a8f", "#6a2f9c", "#952f94", "#b93b7f", "#cf5066", "#d76c4c", "#d08a2e"],
  },
  dark: {
    ink: "#e8edf3", faint: "#a3afbd", line: "#38424f", paper: "#151b23", other: "#939daa", accent: "#7db8ff",
    words: ["#6db3f2", "#ff9a5c", "#5fd08a", "#e58be0", "#e0c34a", "#5ccfdc", "#ff8aa3", "#aaa0ff"],
    steps: ["#8f86ff", "#ab85f5", "#c684e2", "#dd86c8", "#ee8cab", "#f8988f", "#fdab78", "#fdc56b"],
  },
};
const darkness = window.matchMedia("(prefers-color-scheme: dark)");
let printing = false;
const scheme = () => SCHEMES[darkness.matches && !printing ? "dark" : "light"];

const WORD_COLOURS = { chip: "chip", model: "network", precision: "precision", grade: "grade of the time" };

// A colour belongs to a word or a step whatever is filtered: it is decided over all rows.
function colouring() {
  const axis = axisOf(state.colour);
  return axis ? byStep(axis) : byWord(state.colour);
}

function byWord(key) {
  // Most rows on the front first, then most near it, then most with an unknown figure.
  const counts = new Map();
  const kinds = Object.keys(FRONT.kinds);
  for (const row of ROWS) {
    if (!counts.has(row[key])) counts.set(row[key], kinds.map(() => 0));
    counts.get(row[key])[kinds.indexOf(row.kind)] += 1;
  }
  const more = (a, b) => kinds.map((_, k) => counts.get(b)[k] - counts.get(a)[k]).find((difference) => difference) || 0;
  const ranked = [...counts.keys()].sort((a, b) => more(a, b) || String(a).localeCompare(String(b)));
  const most = scheme().words.length;
  const own = ranked.length <= most ? ranked : ranked.slice(0, most - 1);
  const colourOf = (row) => (own.includes(row[key]) ? scheme().words[own.indexOf(row[key])] : scheme().other);
  const legend = own.map((word, k) => [scheme().words[k], missing(word) ? UNKNOWN : String(word)]);
  const others = ranked.length - own.length;
  if (others) legend.push([scheme().other, key === "chip" ? `${others} ${FRONT.others}` : `${others} others`]);
  return { colourOf, legend };
}

function byStep(axis) {
  const values = ROWS.map((row) => row[axis.name]).filter((value) => !missing(value));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const steps = scheme().steps;
  const stepOf = (value) =>
    high > low ? Math.min(steps.length - 1, Math.floor(((value - low) / (high - low)) * steps.length)) : 0;
  const colourOf = (row) => (missing(row[axis.name]) ? scheme().other : steps[stepOf(row[axis.name])]);
  const width = (high - low) / steps.length;
  const legend = !values.length ? [] : high > low
    ? steps.map((colour, k) => [colour, `from ${say(Number((low + k * width).toPrecision(3)))}`])
    : [[steps[0], say(low)]];
  if (values.length < ROWS.length) legend.push([scheme().other, UNKNOWN]);
  return { colourOf, legend, title: `${axis.title}, ${axis.better}:` };
}

function showLegend(colours, rows) {
  const legend = byId("legend");
  legend.replaceChildren();
  if (colours.title) legend.append(element("span", colours.title, { class: "title" }));
  for (const [colour, word] of colours.legend) {
    const entry = element("span", undefined, { class: "entry" });
    const swatch = element("span", "", { class: "swatch" });
    swatch.style.background = colour;
    entry.append(swatch, word);
    legend.append(entry);
  }
  const drawn = byId("profile") ? rows : rows.filter((row) => !missing(row[state.x]) && !missing(row[state.y]));
  const kinds = Object.keys(FRONT.kinds).filter((kind) => drawn.some((row) => row.kind === kind));
  for (const kind of kinds) {
    const entry = element("span", undefined, { class: "entry" });
    entry.append(element("span", SIGNS[kind], { class: "sign", "aria-hidden": "true" }), FRONT.kinds[kind]);
    legend.append(entry);
  }
}
