// The search: a statement or a heading with the words of the query comes before the pages that merely contain
// them, and what the book says before the names of its functions. A statement that was found by its id, such
// as "dense-rademacher", or by its number is shown by its name: the longest of the titles at its place, ids
// aside.
const namesOf = (() => {
  const ID = /^[a-z\d]+(-[a-z\d]+)*$/;
  let names;
  return ({ alltitles, docnames }, place) => {
    if (!names) {
      names = new Map();
      for (const [title, places] of Object.entries(alltitles)) for (const [file, id] of places) {
        const here = `${docnames[file]}#${id}`;
        if (!ID.test(title) && title.length > (names.get(here) ?? "").length) names.set(here, title);
      }
    }
    return names.get(place);
  };
})();
var Scorer = {
  score: (result) => {
    const [page, title, anchor, , score] = result, name = anchor && namesOf(Search._index, page + anchor);
    if (name && title.includes(" > ")) result[1] = `${title.slice(0, title.indexOf(" > "))} > ${name}`;
    return score + (anchor ? (page.startsWith("book/api-") ? 50 : 100) : 0);
  },
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

// how much was found is said to those who do not see it; the words around it have a formula once, without TeX
addEventListener("DOMContentLoaded", () => {
  const results = document.getElementById("search-results"), said = document.createElement("p");
  if (!results) return;
  const { htmlToText } = Search;
  const TEX = /<annotation\b.*?<\/annotation>/gs;
  Search.htmlToText = (page, anchor) => htmlToText(page.replace(TEX, ""), anchor);
  said.className = "visually-hidden";
  said.setAttribute("role", "status");
  results.before(said);
  new MutationObserver(() => {
    const words = results.querySelector(".search-summary")?.textContent ?? "";
    if (/\d/.test(words) && said.textContent !== words) said.textContent = words;
  }).observe(results, { childList: true, subtree: true, characterData: true });
});
