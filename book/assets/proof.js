// The proof that moves. The page holds six drawings with their sentences (from sparse_book/moving_proof.py);
// here one stage shows one of them and moves it into the next, element by element, by the keys of the
// elements. The address holds the step, as #fig-proof=3. Where motion is reduced, or without JavaScript, all
// six stand below each other: the style sheet decides, so that nothing jumps when this script arrives.
document.addEventListener("DOMContentLoaded", () => {
  const NUMBERS = "x y cx cy r x1 y1 x2 y2 width height stroke-width fill-opacity".split(" ");
  const DURATION = 700; // milliseconds: long enough to follow an element with the eyes
  for (const box of document.querySelectorAll(".six-steps")) {
    const figure = box.closest("figure"), panels = [...box.querySelectorAll("li")];
    const stage = panels[0].cloneNode(true), svg = stage.querySelector("svg");
    const words = stage.querySelector(".proof-words"), nav = box.querySelector(".proof-nav");
    // a page without this script, such as a notebook, has no buttons
    const made = (text) =>
      Object.assign(document.createElement("button"), { type: "button", textContent: text });
    const back = made("Back"), next = made("Next"), dots = panels.map((_, i) => made(i + 1));
    let step = 0, run = 0;

    stage.className = "stage";
    words.setAttribute("role", "status");
    panels[0].before(stage);
    svg.after(nav); // on a phone above the words
    box.classList.add("moves");
    dots.forEach((dot, i) => dot.setAttribute("aria-label", // "Step 1: Flip a bit"
      `Step ${panels[i].querySelector("b").textContent.replace(".", ":")}`));
    nav.append(back, ...dots, next);

    const keyed = (drawing) => new Map([...drawing.children].map((child) => [child.dataset.key, child]));
    const tween = (from, to) => { // how an element gets from its place in one drawing to that in the next
      const number = (element, name) => Number(element.getAttribute(name));
      const moves = NUMBERS.filter((name) => to.hasAttribute(name))
        .map((name) => [name, number(from.hasAttribute(name) ? from : to, name), number(to, name)])
        .filter(([, start, end]) => start !== end);
      return (share) =>
        moves.forEach(([name, start, end]) => to.setAttribute(name, start + (end - start) * share));
    };
    const move = (target) => {
      const before = keyed(svg), after = target.cloneNode(true), mine = ++run, start = performance.now();
      const steps = [...keyed(after)].map(([key, child]) => {
        const old = before.get(key);
        return old ? tween(old, child) : (share) => child.setAttribute("opacity", share);
      });
      const leaving = [...before].filter(([key]) => !keyed(after).has(key)).map(([, child]) => child);
      svg.replaceChildren(...leaving, ...after.children);
      svg.setAttribute("aria-label", target.getAttribute("aria-label"));
      const frame = (now) => {
        if (mine !== run) return;
        const time = Math.min(Math.max((now - start) / DURATION, 0), 1), share = time * time * (3 - 2 * time);
        steps.forEach((one) => one(share));
        leaving.forEach((child) => child.setAttribute("opacity", 1 - share));
        if (time < 1) requestAnimationFrame(frame);
        else svg.replaceChildren(...target.cloneNode(true).children);
      };
      frame(start);
    };
    const mark = () => {
      dots.forEach((button) => button.removeAttribute("aria-current"));
      dots[step].setAttribute("aria-current", "step");
      back.setAttribute("aria-disabled", step === 0); // not disabled: the focus would be lost
      next.setAttribute("aria-disabled", step === panels.length - 1);
    };
    const go = (asked) => {
      const wanted = Math.min(Math.max(asked, 0), panels.length - 1);
      if (wanted === step) return;
      step = wanted;
      move(panels[step].querySelector("svg"));
      words.innerHTML = panels[step].querySelector(".proof-words").innerHTML;
      mark();
      history.replaceState(null, "", `#${figure.id}=${step + 1}`);
    };
    const follow = () => { // the step that the address asks for
      const asked = Number(new URLSearchParams(location.hash.slice(1)).get(figure.id));
      if (!Number.isInteger(asked) || asked < 1 || asked > panels.length) return;
      go(asked - 1);
      figure.scrollIntoView();
    };
    nav.addEventListener("click", ({ target }) => {
      if (target === back) go(step - 1);
      else if (target === next) go(step + 1);
      else if (dots.includes(target)) go(dots.indexOf(target));
    });
    nav.addEventListener("keydown", (event) => {
      const way = { ArrowRight: step + 1, ArrowLeft: step - 1, Home: 0, End: panels.length - 1 }[event.key];
      if (way === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      go(way);
    });
    addEventListener("hashchange", follow);
    mark();
    follow();
  }
});
