// What is wider than its place: a formula in a line of text breaks, all else scrolls in its own box. The keyboard
// reaches such a box, and its edge fades as long as there is more behind it. Without JavaScript the boxes still scroll.
document.addEventListener("DOMContentLoaded", () => {
  const article = document.querySelector(".bd-article");
  if (!article) return;
  const WIDE = "pre, .pst-scrollable-table-container, p, div.math";
  let timer;

  const more = (box) => box.scrollLeft + box.clientWidth + 4 < box.scrollWidth;
  const mark = (lines, boxes) => {
    for (const line of lines) line.classList.remove("breaks");
    const long = lines.filter((line) => line.clientWidth && line.querySelector("mjx-math")?.getBoundingClientRect().width > line.clientWidth + 1);
    for (const line of long) line.classList.add("breaks");
    const states = [...boxes].map((box) => (box.matches("div.math") ? box.querySelector("mjx-container") ?? box : box))
      .map((box) => [box, box.scrollWidth > box.clientWidth + 4 && /auto|scroll/.test(getComputedStyle(box).overflowX), more(box)]);
    for (const [box, wide, hidden] of states) { // all were measured before the first is changed
      if (wide) box.tabIndex = 0;
      else if (box.tabIndex >= 0) box.removeAttribute("tabindex");
      box.classList.toggle("more", wide && hidden);
    }
  };
  const markAll = () => mark([...article.querySelectorAll("span.math")], [...article.querySelectorAll(WIDE)]);
  const later = () => { clearTimeout(timer); timer = setTimeout(markAll, 100); };

  article.addEventListener("scroll", ({ target }) => target.classList?.toggle("more", more(target)), { capture: true, passive: true });
  article.addEventListener("toggle", later, { capture: true }); // what is hidden has no width
  document.addEventListener("typeset", ({ detail }) => {
    const formulas = detail.filter((formula) => article.contains(formula));
    mark(formulas.filter((formula) => formula.matches("span")), new Set(formulas.map((formula) => formula.closest(WIDE)).filter(Boolean)));
  });
  addEventListener("load", () => Promise.resolve(window.MathJax?.startup?.promise).then(() => new ResizeObserver(later).observe(article)));
});
