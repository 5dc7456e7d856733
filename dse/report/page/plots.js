// The two plots: any two axes, and all axes at once.

const SYMBOLS = { front: "circle", near: "diamond-open", unknown: "x-thin-open" };
const SIGNS = { front: "●", near: "◇", unknown: "×" };
const SIZES = { front: 11, near: 9, unknown: 9 };
const CONFIG = {
  displaylogo: false,
  responsive: true,
  // Named one by one: what plotly offers by itself includes a button that sends the plot to its maker.
  modeBarButtons: [["toImage", "zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"]],
  toImageButtonOptions: { format: "svg", filename: "front" },
};

function layoutOf(more) {
  const colours = scheme();
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: colours.ink, size: 13, family: "system-ui, sans-serif" },
    showlegend: false,
    hovermode: "closest",
    dragmode: window.innerWidth < 700 ? false : "zoom",
    modebar: { color: colours.faint, activecolor: colours.ink, bgcolor: "rgba(0,0,0,0)" },
    ...more,
  };
}

function axisLayout(axis, isLog, vertical) {
  const arrow = axis.sense === "maximize" ? (vertical ? "↑" : "→") : vertical ? "↓" : "←";
  // A short side has no room for the words beside the name; the list at the top says them.
  const words = vertical && window.innerWidth < 700 ? "" : ` ${axis.better}`;
  const title = `${escaped(axis.title)}  ${arrow}${words}`;
  const colours = scheme();
  return {
    title: { text: title, standoff: 8 },
    type: isLog ? "log" : "linear",
    // Two-digit ticks at every step of a log axis run into each other.
    ...(isLog ? { dtick: "D2" } : {}),
    gridcolor: colours.line,
    zeroline: false,
    linecolor: colours.faint,
    automargin: true,
  };
}

function drawScatter(rows, colours) {
  const [x, y] = [axisOf(state.x), axisOf(state.y)];
  const placed = rows.filter((row) => !missing(row[x.name]) && !missing(row[y.name]));
  const traces = [{ ...staircase(placed.filter((row) => row.kind !== "unknown"), x, y), mode: "lines", hoverinfo: "skip",
    line: { shape: "hv", color: scheme().faint, width: 1.5, dash: "dot" } }];
  for (const kind of Object.keys(FRONT.kinds).reverse()) {
    const own = placed.filter((row) => row.kind === kind);
    const colour = own.map(colours.colourOf);
    traces.push({
      x: own.map((row) => row[x.name]), y: own.map((row) => row[y.name]), customdata: own.map((row) => row.index),
      mode: "markers", hoverinfo: "none", cliponaxis: false,
      marker: { symbol: SYMBOLS[kind], size: SIZES[kind], color: colour, opacity: kind === "front" ? 0.95 : 0.85,
        line: { color: kind === "front" ? scheme().paper : colour, width: kind === "front" ? 1 : 2 } },
    });
  }
  const ring = placed.filter((row) => row.index === state.chosen);
  traces.push({ x: ring.map((row) => row[x.name]), y: ring.map((row) => row[y.name]), mode: "markers", hoverinfo: "skip",
    marker: { symbol: "circle-open", size: 20, color: scheme().accent, line: { width: 3 } } });
  const layout = layoutOf({
    xaxis: axisLayout(x, state.log.x, false), yaxis: axisLayout(y, state.log.y, true),
    margin: { l: 56, r: 16, t: 28, b: 48 }, uirevision: `${x.name} ${y.name} ${state.log.x} ${state.log.y}`,
  });
  Plotly.react("scatter", traces, layout, CONFIG);
  byId("scatter-note").textContent = noteOf(rows.length - placed.length, x, y);
}

function noteOf(absent, x, y) {
  const steps = "The dotted line joins the designs on and near the front that are not beaten on these two axes " +
    "by a design shown whose figures are all known.";
  const which = x === y ? x.title : `${x.title} or ${y.title}`;
  if (!absent) return steps;
  return `${absent} of the designs shown ${absent === 1 ? "has" : "have"} no known ${which} and no point here. ${steps}`;
}

// Where a figure stands between the worst (0) and the best (1) of all rows.
function ranges() {
  return AXES.map((axis) => {
    const values = ROWS.map((row) => row[axis.name]).filter((value) => !missing(value));
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const [worst, best] = axis.sense === "maximize" ? [low, high] : [high, low];
    const place = (value) => (missing(value) ? null : best === worst ? 1 : (value - worst) / (best - worst));
    return { axis, worst, best, place, any: values.length > 0 };
  });
}

function drawProfile(rows, colours) {
  if (!byId("profile")) return;
  const spans = ranges();
  const groups = new Map();
  for (const row of rows) {
    const key = `${row.kind} ${colours.colourOf(row)}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  const faint = rows.length > 40 ? 0.5 : 0.8;
  const traces = [...groups.values()].map((own) => lines(own, spans, colours.colourOf(own[0]), faint));
  traces.sort((a, b) => a.opacity - b.opacity);
  const chosen = rows.filter((row) => row.index === state.chosen);
  if (chosen.length) traces.push({ ...lines(chosen, spans, scheme().accent, 1), line: { color: scheme().accent, width: 4 } });
  const narrow = byId("profile").clientWidth < 560;
  const titles = AXES.map((axis) => profileTitle(axis, narrow));
  const upright = { xref: "x", yref: "paper", y0: 0, y1: 1, type: "line", line: { color: scheme().line, width: 1 }, layer: "below" };
  const ends = spans.flatMap((span, k) => (span.any ? [end(k, 1, say(span.best)), end(k, 0, say(span.worst))] : []));
  const layout = layoutOf({
    xaxis: { tickvals: spans.map((_, k) => k), ticktext: titles,
      range: [-0.35, spans.length - 0.65], showgrid: false, zeroline: false, fixedrange: true, side: "top", tickangle: 0,
      ticklabeloverflow: "allow",
      tickfont: { size: narrow ? 10 : 13 } },
    yaxis: { range: [-0.12, 1.12], showgrid: false, zeroline: false, tickvals: [0, 1], ticktext: ["worst", "best"],
      fixedrange: true, tickfont: { color: scheme().faint } },
    shapes: spans.map((_, k) => ({ ...upright, x0: k, x1: k })), annotations: ends, dragmode: false,
    margin: { l: narrow ? 38 : 56, r: 8, t: 24 + 14 * Math.max(...titles.map((title) => title.split("<br>").length)), b: 12 },
  });
  Plotly.react("profile", traces, layout, { ...CONFIG, displayModeBar: false });
}

// A long path is broken at its dots, so that it stays within its own axis.
function profileTitle(axis, narrow) {
  const arrow = axis.sense === "maximize" ? "↑" : "↓";
  const words = escaped(axis.title);
  if (!narrow && axis.title.length <= 20) return `${words}<br>${arrow}`;
  return `${words.replace(/ /g, "<br>").replace(narrow ? /[._](?=.)/g : /\.(?=.)/g, "$&<br>")}<br>${arrow}`;
}

const end = (k, place, text) => ({ x: k, y: place, text, showarrow: false, yshift: place ? 11 : -11,
  font: { size: 12, color: scheme().ink } });

function lines(rows, spans, colour, opacity) {
  const [x, y, customdata] = [[], [], []];
  for (const row of rows) {
    spans.forEach((span, k) => {
      x.push(k);
      y.push(span.place(row[span.axis.name]));
      customdata.push(row.index);
    });
    x.push(null);
    y.push(null);
    customdata.push(null);
  }
  const kind = rows[0].kind;
  // A figure between two unknown ones has no line to be seen by; elsewhere marks would only cost time.
  return { x, y, customdata, mode: kind === "unknown" ? "lines+markers" : "lines", hoverinfo: "none", connectgaps: false,
    opacity: kind === "front" ? opacity : opacity / 2, marker: { color: colour, size: 6, symbol: SYMBOLS[kind] },
    line: { color: colour, width: kind === "front" ? 2 : 1, dash: kind === "front" ? "solid" : "dot" } };
}
