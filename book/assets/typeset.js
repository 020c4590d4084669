// Formulas near the screen are typeset first, the others from the top down while the browser is idle, so that no page
// waits for those below. `MathJax.startup.promise` resolves when all of them are typeset; printing does not wait for it.
if (window.MathJax) {
  const AHEAD = 1500; // in px: about two screens, which a reader does not scroll faster than a batch is typeset
  const BATCH = 400; // formulas: half a second of a desktop on the longest page, whose layout each batch repeats
  const idle = () => new Promise((resolve) => (window.requestIdleCallback ?? setTimeout)(resolve));

  const typesetAll = async () => {
    const waiting = new Set(document.querySelectorAll(".math"));
    let last = Promise.resolve();
    const typeset = (formulas) => {
      for (const formula of formulas) {
        waiting.delete(formula);
        near.unobserve(formula);
        formula.removeAttribute("style"); // the place that the build kept for it
      }
      return last = last.then(() => MathJax.typesetPromise(formulas));
    };
    const near = new IntersectionObserver((entries) => {
      const formulas = entries.filter((entry) => entry.isIntersecting).map((entry) => entry.target);
      if (formulas.length) typeset(formulas).then(() => document.dispatchEvent(new CustomEvent("typeset", { detail: formulas })));
    }, { rootMargin: `${AHEAD}px 0px` });
    for (const formula of waiting) near.observe(formula);
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))); // the observer speaks after a frame
    await last;
    document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
    while (waiting.size) {
      await idle();
      await typeset([...waiting].slice(0, BATCH));
    }
  };
  MathJax.startup = { typeset: false, pageReady: typesetAll };
  addEventListener("beforeprint", () => {
    for (const formula of document.querySelectorAll(".math[style]")) formula.removeAttribute("style");
    window.MathJax.typeset?.();
  });
}
