"use strict";
document.documentElement.classList.add("scripted");

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

// Filters act at once: what the server answers to the form takes the place of what is shown. It is asked for one answer at a time.
function say(place, text) {
  const said = document.createElement("p");
  said.className = "notice";
  said.textContent = text;
  place.replaceChildren(said);
}
for (const form of document.querySelectorAll("form[data-at-once]")) {
  let isAsking = false;
  let isOld = false;
  async function renew() {
    isOld = true;
    if (isAsking) return;
    isAsking = true;
    while (isOld) {
      isOld = false;
      try {
        await ask();
      } catch {
        say(document.querySelector(form.dataset.atOnce), "No answer: diglot review may have ended.");
      }
    }
    isAsking = false;
  }
  async function ask() {
    const fields = [...new FormData(form)].filter(([, value]) => value !== "");
    const address = new URL(form.action.split(/[?#]/)[0]);
    address.search = new URLSearchParams(fields);
    const part = new URL(address);
    part.searchParams.set("part", "results");
    const answer = await fetch(part, { cache: "no-store" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (isOld) return;
    const [old, now] = [document, page].map((from) => from.querySelector(form.dataset.atOnce));
    if (now) {
      old.replaceWith(document.importNode(now, true));
      history.replaceState(null, "", address);
    } else {
      say(old, page.querySelector("main .notice")?.textContent ?? "No answer.");
    }
  }
  let waiting;
  for (const change of ["input", "change"]) {
    form.addEventListener(change, () => {
      clearTimeout(waiting);
      waiting = setTimeout(renew, 150);
    });
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    renew();
  });
}

// What is to be copied. Filters replace the button.
addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(document.querySelector(button.dataset.copy).textContent);
  button.textContent = "Copied";
});

// While a run works on the store, how far it is.
const live = document.querySelector("[data-live]");
async function look() {
  let next = 15000;
  if (!document.hidden) {
    try {
      const working = await (await fetch(live.dataset.live, { cache: "no-store" })).json();
      live.hidden = !working;
      if (working) {
        next = 1000;
        live.querySelector("strong").textContent = working.stage;
        live.querySelector("span").textContent = working.text;
        const bar = live.querySelector("progress");
        bar.setAttribute("aria-label", working.stage);
        if (working.share === null) bar.removeAttribute("value");
        else bar.value = working.share;
      }
    } catch {
      return; // The server has ended.
    }
  }
  setTimeout(look, next);
}
if (live) setTimeout(look, live.hidden ? 5000 : 1000);

// While the store is counted for the first time, ask until it is done.
const counting = document.querySelector("[data-counting]");
async function ask() {
  const answer = await fetch(counting.dataset.counting, { cache: "no-store" });
  if ((await answer.text()) === "counting") setTimeout(ask, 300);
  else location.reload(); // It shows what was counted, or why it failed.
}
if (counting) setTimeout(ask, 200);
