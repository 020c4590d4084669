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
  document.querySelector("section > h2").parentElement.before(form);
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
