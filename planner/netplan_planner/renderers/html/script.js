// All of the page can be read without this: it sorts tables, filters findings and folds them.
"use strict";

const UNITS = {
  "bit/s": 1e-9, "kbit/s": 1e-6, "Mbit/s": 1e-3, "Gbit/s": 1,
  "KiB": 2 ** -20, "MiB": 2 ** -10, "GiB": 1, "TiB": 2 ** 10, "PiB": 2 ** 20,
  "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "days": 86400,
};

// The last rate of `1.6 → 16 Gbit/s` decides; `costs` is below 0; a cell without a number is last.
function key(text) {
  const numbers = text.match(/\d[\d,]*(\.\d+)?/g);
  if (!numbers || !/^[^\p{L}]*\d|^(saves|costs|at least|under|over|used|unused|[A-Z]{3})\s/u.test(text)) {
    return null;
  }
  const first = Number(numbers[text.includes("→") ? numbers.length - 1 : 0].replaceAll(",", ""));
  const unit = text.match(/(?:[kMG]?bit\/s|[KMGTP]iB|\bms|\bmin|\bdays|\bs|\bh)(?![\w/])/);
  const size = first * (unit ? UNITS[unit[0]] : 1);
  return text.startsWith("costs") || text.endsWith("more") ? -size : size;
}

function compare(one, other, way) {
  if (one.key === null || other.key === null) {
    if (one.key !== other.key) return one.key === null ? 1 : -1;
    if (!one.text || !other.text) return (one.text ? 0 : 1) - (other.text ? 0 : 1);
    return way * one.text.localeCompare(other.text, "en", { numeric: true });
  }
  return way * (one.key - other.key);
}

function sort(table, head) {
  // Amounts and rates are looked for from the greatest down, names from A on.
  const falls = head.classList.contains("n");
  const before = head.getAttribute("aria-sort");
  const next = before === null ? falls : before === "ascending";
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", next ? "descending" : "ascending");
  const rows = Array.from(table.tBodies[0].rows, (row) => {
    const text = row.cells[head.cellIndex].textContent.trim();
    return { row, text, key: key(text) };
  });
  const isText = rows.some((one) => one.text && one.key === null);
  if (isText && !falls) for (const one of rows) one.key = null;
  rows.sort((one, other) => compare(one, other, next ? -1 : 1));
  table.tBodies[0].append(...rows.map((one) => one.row));
}

function prepareTables() {
  for (const table of document.querySelectorAll("table.sorts")) {
    if (table.tBodies[0].rows.length < 2) continue;
    for (const head of table.tHead.rows[0].querySelectorAll("th")) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(table, head));
    }
  }
}

function matches(found, wanted) {
  const is = found.dataset;
  if (wanted.severity && is.severity !== wanted.severity) return false;
  if (wanted.rule && is.rule !== wanted.rule) return false;
  if (wanted.zone && !is.zone.split(" ").includes(wanted.zone)) return false;
  if (wanted.project && !is.project.split(" ").includes(wanted.project)) return false;
  if (wanted.saving && Number(is.saving) < Number(wanted.saving)) return false;
  return !wanted.text || found.textContent.toLowerCase().includes(wanted.text.toLowerCase());
}

function prepareFilter(form) {
  const all = document.querySelectorAll("[data-rule]");
  const filter = () => {
    const wanted = Object.fromEntries(new FormData(form));
    let count = 0;
    for (const found of all) {
      found.hidden = !matches(found, wanted);
      if (!found.hidden) count += 1;
    }
    document.getElementById("shown").textContent =
      count === all.length ? "" : `${count} of ${all.length} shown`;
  };
  let waiting = 0;
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 80);
  });
  form.addEventListener("reset", () => setTimeout(filter));
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const button of form.querySelectorAll("[data-fold]")) {
    button.addEventListener("click", () => {
      for (const found of document.querySelectorAll(".finding:not([hidden])")) {
        found.open = button.dataset.fold === "open";
      }
    });
  }
  form.hidden = false;
}

// A browser that knows no `::details-content` prints what is open.
let opened = [];
addEventListener("beforeprint", () => {
  opened = Array.from(document.querySelectorAll(".finding:not([open], [hidden])"));
  for (const found of opened) found.open = true;
});
addEventListener("afterprint", () => {
  for (const found of opened) found.open = false;
});

prepareTables();
const form = document.getElementById("filter");
if (form) prepareFilter(form);
