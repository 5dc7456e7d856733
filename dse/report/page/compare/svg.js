// A little SVG: shapes with words for those who do not see them, ticks, and labels that fit.

const SVG = "http://www.w3.org/2000/svg";

function shape(tag, attributes = {}, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, typeof value === "number" ? Number(value.toFixed(2)) : value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// A drawing is one image with a title and a text that says all that is drawn.
function drawing(id, width, height, title, said) {
  const made = shape("svg", { viewBox: `0 0 ${width} ${height}`, width: "100%", role: "img", "aria-labelledby": `${id}-t ${id}-d` });
  made.style.maxWidth = `${width}px`;
  made.append(shape("title", { id: `${id}-t` }, title), shape("desc", { id: `${id}-d` }, said));
  return made;
}

// Sheets of paper are as wide as they are whatever the window: text drawn for them stays large enough to read.
let printing = false;

function roomFor(box) {
  const whole = box.dataset.chart === "scatter";
  if (printing) return { width: whole ? 1000 : 480, height: 460 };
  return { width: Math.max(280, box.clientWidth), height: box.clientWidth < 600 ? 320 : 380 };
}

// What the pointer finds on one shape.
function hinted(made, text) {
  made.append(shape("title", {}, text));
  return made;
}

// Round numbers that cover a range, about `count` of them.
function ticks(low, high, count) {
  const rough = (high - low || Math.abs(high) || 1) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((one) => one >= rough);
  const first = Math.floor(low / step) * step;
  const found = [];
  for (let k = 0; found.length < 2 || found[found.length - 1] < high; k += 1) found.push(Number((first + k * step).toPrecision(12)));
  return found;
}

// Ticks of a logarithmic axis: 1, 2 and 5 of every power of ten.
function logTicks(low, high) {
  const all = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    for (const n of [1, 2, 5]) all.push(Number((n * 10 ** power).toPrecision(3)));
  }
  const from = Math.max(0, all.findLastIndex((one) => one <= low));
  const to = all.findIndex((one) => one >= high);
  return all.slice(from, (to < 0 ? all.length - 1 : to) + 1);
}

// About seven pixels a letter at the size that labels have.
function fitted(text, room) {
  const letters = [...String(text)];
  const most = Math.max(3, Math.floor(room / 6.9));
  return letters.length <= most ? letters.join("") : `${letters.slice(0, most - 1).join("")}…`;
}

const NAMED = 6;

// Which chips a drawing leaves out because nobody knows the figure; the first by name.
function absentWords(rows) {
  if (!rows.length) return "";
  const more = rows.length > NAMED ? ` and ${rows.length - NAMED} more` : "";
  return `Not drawn, because it is unknown: ${rows.slice(0, NAMED).map(nameOf).join(", ")}${more}. `;
}

function legend(box, entries) {
  box.replaceChildren();
  for (const [mark, text] of entries) {
    const entry = element("span", undefined, { class: "entry" });
    const sign = shape("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" });
    sign.append(mark);
    entry.append(sign, text);
    box.append(entry);
  }
}
