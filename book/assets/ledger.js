// The ledger's filter: words and a standing. Without JavaScript the page shows all rows.
document.addEventListener("DOMContentLoaded", () => {
  const rows = [...document.querySelectorAll("table.ledger tbody tr")];
  if (!rows.length) return;
  const words = [...new Set(rows.map((row) => row.querySelector(".standing").textContent))].sort();
  const form = document.createElement("form");
  form.className = "ledger-filter";
  form.setAttribute("role", "search");
  form.setAttribute("aria-label", "Rows of the ledger");
  form.innerHTML = `<label for="ledger-words">Find</label><input id="ledger-words" type="search" placeholder="Lemma 9, E16, parity, …">
    <label for="ledger-standing">Standing</label><select id="ledger-standing"><option value="">all</option>
    ${words.map((word) => `<option>${word}</option>`).join("")}</select><output aria-live="polite"></output>`;
  document.querySelector("table.ledger").closest("section").before(form);
  const [text, standing, count] = form.querySelectorAll("input, select, output");
  const show = () => {
    const sought = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const content = row.textContent.toLowerCase();
      row.hidden = !sought.every((word) => content.includes(word)) || (standing.value && row.querySelector(".standing").textContent !== standing.value);
      shown += !row.hidden;
    }
    count.value = `${shown} of ${rows.length}`;
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  // a row that is asked for by its address is never hidden
  addEventListener("hashchange", () => { text.value = standing.value = ""; show(); document.getElementById(location.hash.slice(1))?.scrollIntoView(); });
  show();
});

// Tables are sorted by the buttons in their headers: up, down, and back to the order of the page.
document.addEventListener("DOMContentLoaded", () => {
  const next = { none: "ascending", ascending: "descending", descending: "none" };
  const { compare } = new Intl.Collator("en", { numeric: true });
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0], original = [...body.rows], heads = [...table.tHead.rows[0].cells];
    const key = (row, i) => row.cells[i].querySelector("[data-order]")?.dataset.order ?? row.cells[i].textContent.trim();
    heads.forEach((head, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent.trim();
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const order = next[head.getAttribute("aria-sort") ?? "none"], rows = [...original];
        for (const other of heads) other.removeAttribute("aria-sort");
        if (order !== "none") {
          head.setAttribute("aria-sort", order);
          rows.sort((a, b) => (order === "ascending" ? 1 : -1) * compare(key(a, i), key(b, i)));
        }
        body.append(...rows);
      });
    });
  }
});
