"use strict";

// Sentences that are aligned light up together, by pointer and by keyboard.
const beads = new Map();
for (const piece of document.querySelectorAll("[data-bead]")) {
  const same = beads.get(piece.dataset.bead) ?? [];
  same.push(piece);
  beads.set(piece.dataset.bead, same);
}
function light(piece, isOn) {
  for (const same of beads.get(piece.dataset.bead) ?? []) same.classList.toggle("near", isOn);
}
for (const pieces of beads.values()) {
  for (const piece of pieces) {
    piece.addEventListener("pointerenter", () => light(piece, true));
    piece.addEventListener("pointerleave", () => light(piece, false));
    piece.addEventListener("click", () => show(piece));
  }
}
// A click brings the other side into view.
function show(piece) {
  const own = piece.closest("article");
  const other = (beads.get(piece.dataset.bead) ?? []).find((same) => same.closest("article") !== own);
  other?.scrollIntoView({ block: "nearest" });
}

// By keyboard: n and p go from sentence to sentence, on both sides at once.
const order = [...beads.values()];
let at = -1;
function go(step) {
  if (order.length === 0) return;
  if (at >= 0) light(order[at][0], false);
  at = (at + step + order.length) % order.length;
  light(order[at][0], true);
  for (const piece of order[at]) piece.scrollIntoView({ block: "nearest" });
}

// Keys: what is named by data-key.
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea")) return;
  if (event.key === "n") go(1);
  if (event.key === "p") go(at < 0 ? 0 : -1);
  const named = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (named) {
    event.preventDefault();
    named.click();
  }
});

// One mark at a time.
for (const form of document.querySelectorAll("form[method=post]")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
  });
}

// While the store is counted for the first time, ask until it is done.
const counting = document.querySelector("[data-counting]");
async function ask() {
  const answer = await fetch(counting.dataset.counting, { cache: "no-store" });
  if ((await answer.text()) === "counted") location.reload();
  else setTimeout(ask, 300);
}
if (counting) setTimeout(ask, 200);
