// @ts-check
// Keys, and nothing else: every page works without this file.
"use strict";

/** @param {string} selector */
function follow(selector) {
  const link = document.querySelector(selector);
  if (link instanceof HTMLAnchorElement) location.assign(link.href);
}

/** Moves the focus among the rows of a list. @param {number} step */
function move(step) {
  const links = [...document.querySelectorAll("a[data-row]")];
  if (links.length === 0) return follow(step > 0 ? "a[rel=next]" : "a[rel=prev]");
  const here = document.activeElement ? links.indexOf(document.activeElement) : -1;
  const at = here < 0 ? (step > 0 ? 0 : links.length - 1) : here + step;
  if (at >= links.length) return follow("a[rel=next]");
  const link = links[Math.max(at, 0)];
  if (link instanceof HTMLElement) link.focus();
}

/** Marks the command that opens this page elsewhere, and copies it where the browser lets us. */
async function share() {
  const command = document.getElementById("command");
  if (!command) return;
  getSelection()?.selectAllChildren(command);
  command.scrollIntoView({ block: "nearest" });
  try {
    await navigator.clipboard.writeText(command.textContent ?? "");
  } catch {
    // It is marked all the same.
  }
}

/** @type {Record<string, () => void>} */
const keys = {
  j: () => move(1),
  k: () => move(-1),
  n: () => follow("a[rel=next]"),
  p: () => follow("a[rel=prev]"),
  u: () => follow("a[rel=up]"),
  o: () => follow("header nav:last-child a[href^='/']"),
  r: () => follow("header nav:last-child a[href^='/records']"),
  c: () => void share(),
  "/": () => {
    const item = document.getElementById("item");
    if (item instanceof HTMLInputElement) item.select();
    else follow("header nav:last-child a[href^='/records']");
  },
  "?": () => follow("#keys-page"),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const at = event.target;
  if (at instanceof HTMLElement && at.closest("input, select, textarea")) {
    if (event.key === "Escape") at.blur();
    return;
  }
  const action = keys[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

// What a form would send empty is not sent, so that addresses stay short.
document.addEventListener("submit", (event) => {
  if (!(event.target instanceof HTMLFormElement)) return;
  for (const field of event.target.querySelectorAll("input, select")) {
    if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) {
      field.disabled = field.value === "";
    }
  }
});

// A field that was left out of what was sent is there again when one comes back.
addEventListener("pageshow", () => {
  for (const field of document.querySelectorAll(":disabled")) field.removeAttribute("disabled");
});
