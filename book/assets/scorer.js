// The search: a statement or a heading with the words of the query comes before the pages that merely contain them.
var Scorer = {
  score: ([, , anchor, , score]) => score + (anchor ? 100 : 0),
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
