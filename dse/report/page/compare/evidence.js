// Where a figure comes from: a note beside it while it is pointed at or has the focus, until Escape.

const GRADES = {
  A: "measured or read for exactly this", B: "a close estimate", C: "an estimate", D: "a rough estimate", E: "a guess",
};
const gradeWords = (grade) => (missing(grade) ? "" : `${grade}, ${GRADES[grade] || "ungraded"}`);

const evidenceOf = (row, key) => (row.evidence && !missing(row.evidence[key]) ? DATA.evidence[row.evidence[key]] : undefined);

// The pairs of name and text of one piece of evidence.
function evidencePairs(one) {
  const value = typeof one.value === "number" ? withUnit(one.value, one.unit || "").trim() : one.value;
  return [
    ["value", value], ["of", one.of], ["kind", one.kind], ["grade", gradeWords(one.grade)], ["source", one.source],
    ["in the catalogue", one.place], ["basis", one.basis],
  ].filter(([, text]) => !missing(text));
}

function definitions(pairs) {
  const list = document.createElement("dl");
  for (const [name, text] of pairs) {
    if (missing(text)) continue;
    const pair = document.createElement("div");
    const value = element("dd", text);
    if (text === UNKNOWN) value.className = "missing";
    pair.append(element("dt", name), value);
    list.append(pair);
  }
  return list;
}

// What a figure's note says: what the row itself says about it, then each piece of evidence.
function noteOf(row, figure) {
  const note = document.createDocumentFragment();
  const facts = figure.facts(row);
  const said = new Set(facts.map(([, text]) => text));
  note.append(element("p", `${figure.title}: ${nameOf(row)}`, { class: "note-title" }), definitions(facts));
  const found = figure.evidence.map((key) => [key, evidenceOf(row, key)]).filter(([, one]) => one);
  for (const [key, one] of found) {
    // What the row has said about its figure need not be said again by the evidence of that figure alone.
    const pairs = evidencePairs(one).filter(([, text]) => found.length > 1 || !said.has(text));
    if (found.length > 1) note.append(element("p", titleOf(key), { class: "note-part" }));
    note.append(definitions(pairs));
  }
  return note;
}

let noted = null;

function showNote(button, row, figure) {
  const tip = byId("tip");
  hideNote();
  tip.replaceChildren(noteOf(row, figure));
  tip.hidden = false;
  button.setAttribute("aria-describedby", "tip");
  noted = button;
  const at = button.getBoundingClientRect();
  const [width, height] = [tip.offsetWidth, tip.offsetHeight];
  const below = at.bottom + 4 + height <= window.innerHeight || at.top < height;
  tip.style.left = `${Math.max(4, Math.min(at.left, window.innerWidth - width - 4))}px`;
  tip.style.top = `${Math.max(4, below ? at.bottom + 4 : at.top - height - 4)}px`;
}

function hideNote() {
  clearTimeout(leaving);
  byId("tip").hidden = true;
  if (noted) noted.removeAttribute("aria-describedby");
  noted = null;
}

// The pointer may go over to the note to read or mark it.
let leaving = 0;
const hideSoon = () => {
  clearTimeout(leaving);
  leaving = setTimeout(hideNote, 200);
};

function figureButton(row, figure, shown) {
  const button = element("button", shown, { type: "button", class: "figure" });
  const show = () => showNote(button, row, figure);
  button.addEventListener("mouseenter", show);
  button.addEventListener("focus", show);
  button.addEventListener("click", show);
  button.addEventListener("mouseleave", hideSoon);
  button.addEventListener("blur", hideNote);
  return button;
}

function listenForNotes() {
  byId("tip").addEventListener("mouseenter", () => clearTimeout(leaving));
  byId("tip").addEventListener("mouseleave", hideSoon);
  window.addEventListener("keydown", (event) => event.key === "Escape" && hideNote());
  window.addEventListener("scroll", (event) => event.target !== byId("tip") && hideNote(), true);
}
