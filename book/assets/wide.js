// What is wider than its place: a formula in a line of text breaks, all else scrolls in its own box. The keyboard
// reaches such a box, and its edge fades as long as there is more behind it. Without JavaScript the boxes still scroll.
document.addEventListener("DOMContentLoaded", () => {
  const article = document.querySelector(".bd-article");
  if (!article) return;
  const boxes = [...article.querySelectorAll("pre, .pst-scrollable-table-container, p, div.math")];
  let timer;

  const fade = (box) => box.classList.toggle("more", box.scrollLeft + box.clientWidth + 4 < box.scrollWidth);
  const mark = () => {
    const lines = [...article.querySelectorAll("span.math")];
    for (const line of lines) line.classList.remove("breaks");
    const long = lines.filter((line) => line.clientWidth && line.querySelector("mjx-math")?.getBoundingClientRect().width > line.clientWidth + 1);
    for (const line of long) line.classList.add("breaks");
    const scrolling = boxes.map((box) => (box.matches("div.math") ? box.querySelector("mjx-container") ?? box : box))
      .map((box) => [box, box.scrollWidth > box.clientWidth + 4 && /auto|scroll/.test(getComputedStyle(box).overflowX)]);
    for (const [box, wide] of scrolling) {
      if (wide) box.tabIndex = 0;
      else if (box.tabIndex >= 0) box.removeAttribute("tabindex");
      if (wide) fade(box);
      else box.classList.remove("more");
    }
  };
  const later = () => { clearTimeout(timer); timer = setTimeout(mark, 100); };

  article.addEventListener("scroll", ({ target }) => fade(target), { capture: true, passive: true });
  article.addEventListener("toggle", later, { capture: true }); // what is hidden has no width
  addEventListener("load", () => Promise.resolve(window.MathJax?.startup?.promise).then(() => new ResizeObserver(later).observe(article)));
});
