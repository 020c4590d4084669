// What rests on what: a part of the graph, chosen by the address, #lemma-9, #lemma-9=2, #lemma-9=all or #E16;
// #graph is the whole. Where the boxes lie was computed at the build. Without JavaScript the whole graph is
// shown.
document.addEventListener("DOMContentLoaded", () => {
  const graph = document.querySelector("div.graph");
  if (!graph) return;
  const FIRST = "theorem-8"; // what is shown when the address asks for nothing
  const { ids, words, errata, views, size } = JSON.parse(graph.querySelector(".graph-data").textContent);
  const frame = graph.querySelector(".graph-box"), svg = frame.querySelector("svg");
  const arrows = svg.querySelector(".graph-arrows"), boxes = [...svg.querySelectorAll("a")];
  const whole = {
    size: ["width", "height"].map((name) => svg.getAttribute(name)),
    arrows: arrows.innerHTML,
    at: boxes.map((box) => box.getAttribute("transform")),
  };
  const text = graph.querySelector(".graph-words"), controls = graph.querySelector(".graph-controls");

  const names = [...controls.querySelectorAll("datalist option")].map((option) => option.value);
  const sought = controls.querySelector("input"), erratum = controls.querySelector("select");
  const depths = [...controls.querySelectorAll("[data-depth]")];
  const toWhole = controls.querySelector("[href='#graph']");

  const place = ([column, height]) =>
    [size.margin + column * size.column, Math.round(size.margin + height * size.row)];
  const arrow = (from, to, passed) => { // as in graph.py
    const gap = (size.column - size.width) / 2, top = size.margin + size.height / 2;
    const middles = [from[1], ...passed, to[1]].map((height) => Math.round(top + size.row * height));
    let x = size.margin + from[0] * size.column + size.width, path = `M${x} ${middles[0]}`;
    middles.slice(1).forEach((y, i) => {
      x = size.margin + (from[0] + i + 1) * size.column;
      path += `C${x - gap} ${middles[i]} ${x - gap} ${y} ${x} ${y}`;
      if (from[0] + i + 1 < to[0]) path += `H${x + size.width}`;
    });
    return path;
  };
  const draw = (view, chosen) => {
    const at = new Map(view.boxes.map(([i, ...rest]) => [i, rest]));
    boxes.forEach((box, i) => {
      box.toggleAttribute("hidden", !at.has(i));
      box.setAttribute("transform", at.has(i) ? `translate(${place(at.get(i)).join(" ")})` : whole.at[i]);
      box.classList.toggle("chosen", i === chosen);
      box.classList.toggle("broken", Boolean(view.about?.includes(i)));
      box.classList.toggle("lit", Boolean(view.lit?.includes(i)));
      box.toggleAttribute("aria-current", i === chosen);
    });
    arrows.innerHTML = view.arrows.map(([a, b, ...passed]) => {
      const near = a === chosen || b === chosen ? "near" : "";
      const kind = view.lit?.includes(a) && view.lit.includes(b) ? "lit" : near;
      return `<path class="${kind}" d="${arrow(at.get(a), at.get(b), passed)}"/>`;
    }).join("");
    const ends = [...at.values()].map(place), largest = (axis) => Math.max(...ends.map((end) => end[axis]));
    resize(largest(0) + size.width + size.margin, largest(1) + size.height + size.margin);
    const [x, y] = place(at.get(chosen ?? view.about[0]));
    frame.scrollTo(x + (size.width - frame.clientWidth) / 2, y + (size.height - frame.clientHeight) / 2);
  };
  const resize = (width, height) => {
    svg.setAttribute("width", width);
    svg.setAttribute("height", height);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  };
  const drawWhole = () => {
    boxes.forEach((box, i) => {
      box.removeAttribute("hidden");
      box.removeAttribute("aria-current");
      box.setAttribute("transform", whole.at[i]);
      box.classList.remove("chosen", "broken", "lit");
    });
    arrows.innerHTML = whole.arrows;
    resize(...whole.size);
    text.innerHTML = `${ids.length} statements. Arrows that others imply are left out.`;
  };

  const show = () => {
    const asked = decodeURIComponent(location.hash.slice(1)), [id, depth = "1"] = asked.split("=");
    const mine = id === "graph" || id in errata || `${id}=${depth}` in views;
    if (asked && !mine && graph.dataset.shown) return; // an address of something else on this page
    const name = mine ? id : ids.includes(FIRST) ? FIRST : ids[0];
    graph.dataset.shown = asked;
    const chosen = ids.indexOf(name);
    if (name === "graph") drawWhole();
    else if (chosen >= 0) {
      draw(views[`${name}=${mine ? depth : "1"}`], chosen);
      text.innerHTML = words[chosen];
    } else {
      draw(views[name]);
      text.innerHTML = errata[name];
    }
    erratum.value = name in errata ? name : "";
    sought.value = chosen >= 0 ? names[chosen] : "";
    for (const link of depths) {
      if (chosen >= 0) link.setAttribute("href", `#${name}=${link.dataset.depth}`);
      else link.removeAttribute("href");
      link.toggleAttribute("aria-current", chosen >= 0 && link.dataset.depth === (mine ? depth : "1"));
    }
    toWhole.toggleAttribute("aria-current", name === "graph");
    if (asked && mine && !seen()) graph.scrollIntoView();
  };
  const seen = () => { // whether most of the drawing is on the screen
    const { top, bottom } = frame.getBoundingClientRect();
    return top >= 0 && bottom - innerHeight < frame.clientHeight / 2;
  };
  // From one box to the next by the arrow keys: to the nearest one whose way lies mostly in this direction.
  const step = (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const from = event.target.closest?.("svg a");
    if (!way || !from) return;
    const middle = (box) => {
      const { left, top, width, height } = box.querySelector("rect").getBoundingClientRect();
      return [left + width / 2, top + height / 2];
    };
    const [x, y] = middle(from);
    const far = (box) => {
      const [x2, y2] = middle(box), across = x2 - x, down = y2 - y, along = across * way[0] + down * way[1];
      const aside = Math.abs(across * way[1]) + Math.abs(down * way[0]);
      return along > 1 ? along + 2 * aside : Infinity;
    };
    const others = boxes.filter((box) => box !== from && !box.hasAttribute("hidden"));
    const next = others.reduce((best, box) => (far(box) < far(best) ? box : best), from);
    if (next === from || far(next) === Infinity) return;
    event.preventDefault();
    next.focus();
  };
  boxes.forEach((box, i) => box.setAttribute("href", `#${ids[i]}=1`));
  controls.classList.add("ready");
  frame.addEventListener("keydown", step);
  sought.addEventListener("change", () => {
    const found = names.findIndex((name) => name.toLowerCase() === sought.value.trim().toLowerCase());
    if (found >= 0) location.hash = `${ids[found]}=1`;
  });
  erratum.addEventListener("change", () => { location.hash = erratum.value || "graph"; });
  addEventListener("hashchange", show);
  show();
});
