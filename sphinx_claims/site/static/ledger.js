// The ledger's filter: words and a standing, kept in the address. What is found is opened. Words ask for the
// statements that are named so; if there are none, or with "anywhere", for the rows that contain them.
// Without JavaScript each section opens by hand.
document.addEventListener("DOMContentLoaded", () => {
  const rows = [...document.querySelectorAll("table.ledger tbody tr")];
  if (!rows.length) return;
  const boxes = new Set(rows.map((row) => row.closest("details")));
  const standings = [...new Set(rows.map((row) => row.querySelector(".standing").textContent))].sort();
  const form = document.querySelector("form.ledger-filter"); // the page has it, empty, so that nothing moves
  form.innerHTML = `<label for="ledger-words">Find</label>
    <input id="ledger-words" type="search" placeholder="${form.dataset.example ?? "Lemma 1, …"}">
    <label for="ledger-standing">Standing</label><select id="ledger-standing"><option value="">all</option>
    ${standings.map((word) => `<option>${word}</option>`).join("")}</select>
    <label><input type="checkbox"> anywhere</label><output aria-live="polite"></output>`;
  const [text, standing, anywhere, count] = form.querySelectorAll("input, select, output");
  const read = () => { // "#find=lemma&standing=refuted"; the id of a row asks for no words
    const asked = new URLSearchParams(location.hash.slice(1));
    text.value = asked.get("find") ?? "";
    standing.value = standings.includes(asked.get("standing")) ? asked.get("standing") : "";
  };
  const plain = (words) => ` ${words.toLowerCase().split(/[^\p{L}\d.]+/u).filter(Boolean).join(" ")} `;
  const marks = rows.map((row) => row.querySelector("[id]"));
  const names = marks.map((mark) => plain(`${mark.textContent} ${mark.id}`));
  const show = () => {
    const sought = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const whole = /\d$/.test(text.value.trim()) ? " " : ""; // "lemma 1" is not "lemma 10"
    const asked = plain(text.value).trimEnd() + whole;
    const byName = sought.length && !anywhere.checked;
    const named = new Set(byName ? rows.filter((_, i) => names[i].includes(asked)) : []);
    let shown = 0;
    for (const row of rows) {
      const content = row.textContent.toLowerCase();
      const found = named.size ? named.has(row) : sought.every((word) => content.includes(word));
      const other = standing.value && row.querySelector(".standing").textContent !== standing.value;
      row.hidden = !found || other;
      shown += !row.hidden;
    }
    for (const box of boxes) {
      box.hidden = ![...box.querySelectorAll("tbody tr")].some((row) => !row.hidden);
      box.open = sought.length > 0 || standing.value !== "";
    }
    count.value = `${shown} of ${rows.length}${named.size ? ", by name" : ""}`;
  };
  form.addEventListener("input", () => {
    history.replaceState(null, "", `#${new URLSearchParams({ find: text.value, standing: standing.value })}`);
    show();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", () => { read(); show(); reveal(); });
  read();
  show();
});

// What the address asks for is never hidden: every box around it opens.
function reveal() {
  const asked = document.getElementById(location.hash.slice(1));
  if (!asked?.closest("details")) return;
  for (let box = asked; (box = box.parentElement.closest("details"));) box.open = true;
  asked.scrollIntoView();
}
addEventListener("DOMContentLoaded", reveal);
addEventListener("hashchange", reveal);
