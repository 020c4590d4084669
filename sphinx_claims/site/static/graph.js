// What rests on what: one drawing in a frame. The address chooses a statement, #lemma-9, and lights all that
// it rests on and all that rests on it, or an erratum, #E16, and lights what that breaks; without one a
// statement in the midst is lit. Buttons and the keys + - 0 zoom, and arrow keys lead from box to box.
// Without JavaScript the drawing scrolls, and a box leads to its statement.
document.addEventListener("DOMContentLoaded", () => {
  const graph = document.querySelector("div.graph");
  if (!graph) return;
  const READABLE = 0.8; // the scale at which the names, of 12 px, can be read
  const EYE = 1 / 3; // so far down the frame stands what is looked at: the lower end may be below the window
  const frame = graph.querySelector(".graph-box"), svg = frame.querySelector("svg");
  const { width, height } = svg.viewBox.baseVal;
  const boxes = new Map([...svg.querySelectorAll("a")].map((box) => [box.id, box]));
  const arrows = [...svg.querySelectorAll("path")].map((path) => ({ path, ...path.dataset }));
  const words = graph.querySelector(".graph-words"), whole = words.textContent;
  const controls = graph.querySelector(".graph-controls");
  const names = [...controls.querySelectorAll("datalist option")], sought = controls.querySelector("input");
  const erratum = controls.querySelector("select"), errata = [...erratum.options].slice(1);
  const at = (box) => box.transform.baseVal[0].matrix; // e, f: its place in the drawing
  let scale = 0, current = boxes.values().next().value;

  const zoom = (to, box) => { // about a box, or about what is in the middle
    const [w, h] = [frame.clientWidth, frame.clientHeight];
    const { width: across, height: down } = current.querySelector("rect").getBBox();
    const [x, y] = box
      ? [at(box).e + across / 2, at(box).f + down / 2]
      : [(frame.scrollLeft + w / 2) / scale, (frame.scrollTop + h * EYE) / scale];
    scale = Math.min(2, Math.max(to, Math.min(w / width, h / height)));
    svg.style.width = `${width * scale}px`;
    frame.scrollTo(x * scale - w / 2, y * scale - h * EYE);
  };
  const columns = [...new Set([...boxes.values()].map((box) => at(box).e))].sort((a, b) => a - b);
  const fit = (box) => { // whole columns, with the box in the middle one, as large as they can be read
    const across = box.querySelector("rect").getBBox().width, w = frame.clientWidth;
    const column = (columns[1] ?? columns[0] + across) - columns[0];
    const count = Math.max(1, Math.floor(w / (Math.max(scale, READABLE) * column) + 0.01)); // but for rounding
    const last = columns.length - count, first = columns.indexOf(at(box).e) - Math.floor((count - 1) / 2);
    zoom(w / (count * column), box);
    frame.scrollLeft = scale * (columns[Math.max(0, Math.min(first, last))] - (column - across) / 2);
  };
  const isSeen = (box) => {
    const [inner, outer] = [box, frame].map((one) => one.getBoundingClientRect());
    return inner.left >= outer.left && inner.right <= outer.right
      && inner.top >= outer.top && inner.bottom <= outer.bottom;
  };
  // Along the arrows, or against them; a set is walked to what was added meanwhile
  const reached = (id, from, to) => {
    const found = new Set([id]);
    for (const one of found) for (const arrow of arrows) if (arrow[from] === one) found.add(arrow[to]);
    return found;
  };
  const light = (parts) => { // the parts by their classes
    svg.classList.toggle("lit", Object.keys(parts).length > 0);
    for (const kind of ["chosen", "below", "above", "broken", "lit"]) {
      for (const [id, box] of boxes) box.classList.toggle(kind, Boolean(parts[kind]?.has(id)));
      for (const { path, from, to } of arrows) {
        path.classList.toggle(kind, Boolean(parts[kind]?.has(from) && parts[kind].has(to)));
      }
    }
  };
  const stopAt = (box) => { // the keyboard enters the drawing at one box
    current.setAttribute("tabindex", "-1");
    current = box;
    current.setAttribute("tabindex", "0");
  };
  const choose = (id) => {
    const box = boxes.get(id), option = errata.find((one) => one.value === id);
    erratum.value = option?.value ?? "";
    sought.value = box ? names.find((one) => one.dataset.id === id).value : "";
    if (box) {
      const below = reached(id, "to", "from"), above = reached(id, "from", "to");
      light({ chosen: new Set([id]), below, above });
      words.innerHTML = `<strong><a href="${box.dataset.place}"></a></strong>. Rests on ${below.size - 1},`
        + ` and ${above.size - 1} rest on it: <a href="ledger.html#${id}">its row in the ledger</a>.`;
      words.querySelector("a").textContent = box.getAttribute("aria-label");
      stopAt(box);
    } else if (option) {
      const [about, lit] = [option.dataset.about, option.dataset.lit].map((ids) => new Set(ids.split(" ")));
      light({ broken: about, lit });
      words.innerHTML = `<strong><a href="errata.html#${id}">${id}</a></strong> is about ${about.size},`
        + ` in a thick frame; of what rests on them it breaks ${lit.size - about.size}.`;
    } else {
      light({});
      words.textContent = whole;
    }
    return box ?? boxes.get(option?.dataset.about.split(" ")[0]);
  };
  const midst = () => { // the statement with the most pairs of one below it and one above it
    const pairs = (id) => reached(id, "to", "from").size * reached(id, "from", "to").size;
    return [...boxes.keys()].map((id) => [pairs(id), id]).sort(([a], [b]) => b - a)[0][1];
  };
  const show = () => { // what the address asks for, in sight
    const asked = decodeURIComponent(location.hash.slice(1)).split("=")[0];
    const box = choose(asked || midst());
    if (!box) return;
    fit(box);
    if (asked) graph.scrollIntoView();
  };
  const go = (id) => { history.pushState(null, "", `#${id}`); };

  for (const box of boxes.values()) {
    box.dataset.place = box.getAttribute("href");
    box.setAttribute("tabindex", "-1");
  }
  controls.classList.add("ready");
  frame.addEventListener("click", (event) => {
    const box = event.target.closest("a");
    if (!box) return;
    event.preventDefault();
    go(box.id);
    choose(box.id);
  });
  frame.addEventListener("keydown", (event) => {
    const from = event.target.closest("a"), factor = { "+": 1.4, "=": 1.4, "-": 0.7, 0: 0 }[event.key];
    const beside = { ArrowLeft: ["to", "from"], ArrowRight: ["from", "to"] }[event.key];
    const way = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (factor !== undefined && !event.ctrlKey && !event.metaKey) zoom(factor * scale, from);
    if (!from || !(beside || way)) return;
    const down = (box) => at(box).f - at(from).f; // the nearest of the neighbours by arrows, or of its column
    const near = beside
      ? arrows.filter((arrow) => arrow[beside[0]] === from.id).map((arrow) => boxes.get(arrow[beside[1]]))
      : [...boxes.values()].filter((box) => at(box).e === at(from).e && down(box) * way > 0);
    event.preventDefault();
    stopAt(near.sort((a, b) => Math.abs(down(a)) - Math.abs(down(b)))[0] ?? from);
    current.focus();
  });
  controls.addEventListener("click", ({ target }) => {
    const chosen = svg.querySelector("a.chosen, a.broken");
    if (target.dataset.zoom) zoom(target.dataset.zoom * scale, chosen && isSeen(chosen) ? chosen : undefined);
  });
  sought.addEventListener("change", () => {
    const name = names.find((one) => one.value.toLowerCase() === sought.value.trim().toLowerCase());
    if (name) { go(name.dataset.id); show(); }
  });
  erratum.addEventListener("change", () => { go(erratum.value || "graph"); show(); });
  addEventListener("popstate", show);
  zoom(0);
  stopAt(current);
  show();
  // After the browser has scrolled to the box, to an edge of the frame
  addEventListener("load", () => setTimeout(show));
});
