// The search: first what has the query as its name, a page before a statement; then names that begin with it,
// names that hold it, and pages that merely hold its words. Audits and functions come last, unless the query
// names them. A statement that was found by its id, such as "dense-rademacher", or by its number is shown by
// its name: the longest of the titles at its place, ids aside.
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
const SOUGHT = (new URLSearchParams(location.search).get("q") ?? "").trim().toLowerCase();
var Scorer = {
  score: (result) => {
    const [page, title, anchor, descr, score] = result, [chapter, part] = title.split(" > ");
    const statement = !descr && anchor && namesOf(Search._index, page + anchor);
    if (!anchor) result[1] = chapter; // also where it was found by its title
    else if (part && statement) result[1] = `${chapter} > ${statement}`;
    const own = anchor && part ? part : chapter.replace(/<[^>]*>/g, "").replace(/^[\d.]+ /, "");
    const name = own.toLowerCase();
    const named = name === SOUGHT || name.endsWith(`.${SOUGHT}`); // the last part of a dotted name too
    if (page.startsWith("book/api-")) return score + (named ? 50 : -100);
    if (named) return score + (anchor ? 400 : 500);
    if (page.endsWith("-audit")) return score - 100;
    const begins = name.startsWith(SOUGHT) && !/^(\w|\.\d)/.test(name.slice(SOUGHT.length)); // not Lemma 9.6
    return score + (begins ? 200 : 0) + (anchor ? 100 : 0);
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

// Below a result: the sentence with most of the words sought, or the first where a statement begins, and what
// follows, with its formulas. Code, lists of contents, figures and names are no sentences.
addEventListener("DOMContentLoaded", () => {
  const NO_SENTENCE = ".headerlink, .whence, .whereabouts, .ticks, .claim-record, .cell_input, .cc,"
    + " .downloads, .admonition-title, .behind, annotation, button, pre, td:first-child";
  const ENDS = /[.?!]\s+(?=\p{Lu})/gu;
  const starts = (text) => [0, ...[...text.matchAll(ENDS)].map((end) => end.index + end[0].length)];
  const from = (block, start) => { // a copy of what follows a place in the text
    const range = block.ownerDocument.createRange(), texts = block.ownerDocument.createTreeWalker(block, 4);
    let node = texts.nextNode(), left = start;
    while (node && left >= node.length) { left -= node.length; node = texts.nextNode(); }
    range.selectNodeContents(block);
    if (node) range.setStart(node, left);
    return range.cloneContents();
  };
  Search.makeSearchSummary = (source, keywords, anchor) => {
    const page = new DOMParser().parseFromString(source, "text/html");
    const at = page.getElementById(anchor.slice(1));
    const named = at?.closest("tr") ?? (at?.matches("dt") ? at.nextElementSibling : at);
    const place = named ?? page.querySelector("article");
    for (const part of page.querySelectorAll(NO_SENTENCE)) part.remove();
    for (const part of page.querySelectorAll("a, [id]")) part.removeAttribute(part.href ? "href" : "id");
    const blocks = [...place.querySelectorAll("p, li, td")].filter((block) => !block.querySelector("p, li"));
    const words = [...keywords, ...SOUGHT.split(" ")];
    let best = [-1, place, 0];
    for (const block of blocks.filter((one) => one.textContent.trim())) {
      const text = block.textContent.toLowerCase(), places = starts(block.textContent);
      for (const [i, start] of places.entries()) {
        const sentence = text.slice(start, places[i + 1]);
        const found = words.filter((word) => sentence.includes(word)).length;
        if (found > best[0]) best = [found, block, start];
      }
      if (at) break;
    }
    const summary = document.createElement("p");
    summary.className = "context";
    summary.append(from(best[1], at ? 0 : best[2]));
    return summary;
  };
});
