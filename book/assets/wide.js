// What is wider than its place scrolls in its own box. The keyboard reaches such a box, and its edge fades as
// long as there is more behind it. Without JavaScript the boxes still scroll.
document.addEventListener("DOMContentLoaded", () => {
  const article = document.querySelector(".bd-article");
  if (!article) return;
  const WIDE = "pre, .pst-scrollable-table-container, p, div.math";
  let timer;

  const more = (box) => box.scrollLeft + box.clientWidth + 4 < box.scrollWidth;
  const markAll = () => {
    const scrolls = (box) =>
      box.scrollWidth > box.clientWidth + 4 && /auto|scroll/.test(getComputedStyle(box).overflowX);
    const boxes = [...article.querySelectorAll(WIDE)].map((box) => [box, scrolls(box), more(box)]);
    for (const [box, wide, hidden] of boxes) { // all were measured before the first is changed
      if (wide) box.tabIndex = 0;
      else if (box.tabIndex >= 0) box.removeAttribute("tabindex");
      box.classList.toggle("more", wide && hidden);
    }
  };
  const later = () => { clearTimeout(timer); timer = setTimeout(markAll, 100); };

  const scrolled = ({ target }) => target.matches?.(WIDE) && target.classList.toggle("more", more(target));
  article.addEventListener("scroll", scrolled, { capture: true, passive: true });
  article.addEventListener("toggle", later, { capture: true }); // what is hidden has no width
  new ResizeObserver(later).observe(article);
});
