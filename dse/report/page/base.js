"use strict";
// What the scripts of all pages share: elements that only ever hold text, and figures as text.

const UNKNOWN = "unknown";

const byId = (id) => document.getElementById(id);
const missing = (value) => value === null || value === undefined || value === "";

// Four significant digits, no zeros at the end; a tiny figure is not rounded to 0.
function say(value) {
  if (missing(value)) return UNKNOWN;
  if (typeof value !== "number") return String(value);
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  if (size < -3) return value.toExponential(2);
  return value.toLocaleString("en-US", { maximumFractionDigits: Math.min(4, Math.max(0, 3 - size)) });
}

function element(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
