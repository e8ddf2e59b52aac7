"use strict";
// Every element with data-law belongs to one equation and is shown while that one is chosen.
const choices = [...document.querySelectorAll('input[name="law"]')];
const parts = [...document.querySelectorAll("[data-law]")];
const spots = [...document.querySelectorAll("[data-show]")];

function show(number) {
  for (const part of parts) part.hidden = part.dataset.law !== number;
  for (const choice of choices) choice.checked = choice.value === number;
  for (const spot of spots) spot.classList.toggle("shown", spot.dataset.show === number);
}

for (const choice of choices) choice.addEventListener("change", () => show(choice.value));
for (const spot of spots) spot.addEventListener("click", () => show(spot.dataset.show));
const chosen = choices.find((choice) => choice.defaultChecked);
if (chosen) show(chosen.value);

// A point under the mouse shows its numbers and its row.
const tip = document.getElementById("tip");
const NEAR = 12;

function number(share, low, high, isLog, exponent) {
  const at = low + share * (high - low);
  const value = isLog ? 10 ** at : at * 10 ** exponent;
  return String(Number(value.toPrecision(4))).replace("-", "\u2212");
}

function nearest(svg, x, y) {
  let best = null;
  for (const path of svg.querySelectorAll("path.rows, path.outliers")) {
    const rows = (path.dataset.rows || "").split(" ");
    path.getAttribute("d").split("M").slice(1).forEach((dot, i) => {
      const [a, b] = dot.split("h")[0].split(" ").map(Number);
      const far = Math.hypot(a - x, b - y);
      if (far < NEAR && (!best || far < best.far)) best = { a, b, far, row: rows[i] };
    });
  }
  return best;
}

function explain(event) {
  const svg = event.target.closest("svg[data-frame]");
  tip.hidden = true;
  if (!svg) return;
  const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
  const point = nearest(svg, (event.clientX - box.left) * scale, (event.clientY - box.top) * scale);
  if (!point) return;
  const [left, top, width, height, ...ends] = svg.dataset.frame.split(" ").map(Number);
  const [x, y] = [...svg.querySelectorAll(".names text")].map((name) => name.textContent.replace(/ ×10\S*$/, ""));
  const across = number((point.a - left) / width, ...ends.slice(0, 4));
  const up = number(1 - (point.b - top) / height, ...ends.slice(4));
  const word = document.body.dataset.place;
  tip.textContent = (x === word ? "" : `${word} ${point.row}: ${x} \u2248 ${across}, `) + `${y} \u2248 ${up}`;
  if (x === word) tip.textContent = `${word} ${point.row}: ` + tip.textContent;
  tip.hidden = false;
  tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
  tip.style.top = event.clientY + 16 + "px";
}

for (const kind of ["pointermove", "pointerdown"]) document.addEventListener(kind, explain);
