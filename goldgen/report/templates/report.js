"use strict";
// Sorts tables, filters failures, and opens what is folded before printing. The page can be read without it.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const order = (row, column) => {
    const cell = row.cells[column];
    return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent.trim();
  };
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const first = heading.classList.contains("number") ? "descending" : "ascending";
      const other = first === "ascending" ? "descending" : "ascending";
      const wanted = heading.getAttribute("aria-sort") === first ? other : first;
      for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", wanted);
      const sign = wanted === "ascending" ? 1 : -1;
      const rows = [...body.rows].map((row) => [order(row, column), row]);
      rows.sort(([a], [b]) => {
        if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
        return sign * (typeof a === "number" ? a - b : a.localeCompare(b));
      });
      body.append(...rows.map(([, row]) => row));
    });
  });
}
const filter = document.querySelector("#lost-by");
if (filter) {
  filter.closest("p").hidden = false;
  filter.addEventListener("change", () => {
    for (const lost of document.querySelectorAll(".lost")) {
      lost.hidden = filter.value !== "" && lost.dataset.lostBy !== filter.value;
    }
  });
}
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open])")];
  for (const details of closed) details.open = true;
});
addEventListener("afterprint", () => {
  for (const details of closed) details.open = false;
});
