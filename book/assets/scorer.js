// The search: a statement or a heading with the words of the query comes before the pages that merely contain them, and
// what the book says before the names of its functions.
var Scorer = {
  score: ([page, , anchor, , score]) => score + (anchor ? (page.startsWith("book/api-") ? 50 : 100) : 0),
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: {},
  objPrioDefault: 0,
};
// without a server the pages, and so what stands around a word, cannot be fetched
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// how much was found is said to those who do not see it
addEventListener("DOMContentLoaded", () => {
  const results = document.getElementById("search-results"), said = document.createElement("p");
  if (!results) return;
  said.className = "visually-hidden";
  said.setAttribute("role", "status");
  results.before(said);
  new MutationObserver(() => {
    const words = results.querySelector(".search-summary")?.textContent ?? "";
    if (/\d/.test(words) && said.textContent !== words) said.textContent = words;
  }).observe(results, { childList: true, subtree: true, characterData: true });
});
