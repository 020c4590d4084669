// A network on the 3-cube or the 4-cube, to play with. The first part is the mathematics, in the conventions of
// sparse_core (tests/book/test_cube.py compares the numbers); then the settings and their addresses; then the page.
const cube = (() => {
  const { abs, hypot, max, min, random, round, sign } = Math;

  // --- Mathematics: a network is a list of neurons { u, w, b }, h(x) = sum u relu(<w, x> - b) ---

  const range = (m) => [...Array(m).keys()];
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const largest = (values) => max(0, ...values);
  const bits = (i) => sum([...i.toString(2)].map(Number));
  const point = (n, i) => range(n).map((j) => 1 - 2 * ((i >> j) & 1)); // point 0 is (1, ..., 1)
  const field = ({ w, b }, x) => sum(w.map((v, j) => v * x[j])) - b;
  const junta = (n, table) => table.map((u, a) => ({ u, w: point(n, a).map((v) => v / 2), b: n / 2 - 1 })); // one neuron a point

  const walsh = (values) => values.map((_, T) => sum(values.map((value, i) => (bits(i & T) % 2 ? -value : value))));

  const measure = (n, net, degree) => {
    const N = 2 ** n, points = range(N).map((i) => point(n, i));
    const active = points.map((x) => range(net.length).filter((j) => field(net[j], x) > 0));
    const h = points.map((x, i) => sum(active[i].map((j) => net[j].u * field(net[j], x))));
    const edges = range(N).flatMap((i) => range(n).filter((j) => !((i >> j) & 1)).map((j) => [i, i | (1 << j)]));
    const squares = edges.map(([i, j]) => (h[i] - h[j]) ** 2), AS = sum(squares) / (2 * N);
    const k = largest(active.map((one) => one.length)), U = largest(net.map(({ u }) => abs(u)));
    const W = U * largest(net.map(({ w }) => hypot(...w))), B = U * largest(net.map(({ b }) => abs(b)));
    const coefficients = walsh(h).map((value) => value / N);
    const weights = range(n + 1).map((d) => sum(coefficients.map((value, T) => (bits(T) === d ? value ** 2 : 0))));
    return {
      h, active, edges, AS, k, W, B, weights,
      shares: squares.map((square) => (AS ? square / (2 * N * AS) : 0)),
      bound: 4 * k ** 2 * W ** 2,
      near: walsh(coefficients.map((value, T) => (bits(T) <= degree ? value : 0))),
      error: sum(weights.slice(degree + 1)), // of the best polynomial of that degree, squared, in the mean
    };
  };

  // --- Settings: { n, x, d } with a table of signs, or with the neurons themselves ---

  const table = (n, f) => ({ n, table: range(2 ** n).map((i) => f(point(n, i))) });
  const network = (n, rows) => ({ n, net: rows.map(([u, w, b]) => ({ u, w: [...w, ...Array(n - w.length).fill(0)], b })) });

  // Random neurons one by one: each points at a vertex where fewer than k are active, and takes as many of the highest
  // vertices as are free, at most its share of them. All weights are quarters, so that no rounding decides anything.
  const drawn = (n, k, chance) => {
    const N = 2 ** n, s = 4, count = Array(N).fill(0), pick = (list) => list[Math.floor(chance() * list.length)], rows = [];
    for (let j = 0; j < s; j++) {
      const x = point(n, pick(range(N).filter((i) => count[i] < k))), w = x.map((v) => v * pick([0.25, 0.5, 0.75, 1]));
      const z = range(N).map((i) => field({ w, b: 0 }, point(n, i)));
      const fits = (b) => z.some((v) => v > b) && z.every((v, i) => v <= b || count[i] < k) && z.filter((v) => v > b).length <= (k * N) / s;
      const b = pick([...new Set(z)].filter(fits));
      z.forEach((v, i) => { if (v > b) count[i] += 1; });
      rows.push([pick([-1, 1]), w, b]);
    }
    return network(n, rows);
  };

  const appendix = (n) => // the address has n - 2 bits; Gamma = 1
    network(n, [[1, 0.5], [-0.5, 1], [0.75, -1], [-1, -0.5]].slice(0, 2 ** (n - 2)).map((w, a) => [1, [...point(n - 2, a), ...w], n - 2]));
  const presets = {
    "Dictator": (n) => table(n, (x) => x[0]),
    "Majority": (n) => table(n, (x) => sign(sum(x) + x[0] / 2)), // x_1 decides where there are as many of each
    "Parity": (n) => table(n, (x) => x.reduce((product, v) => product * v, 1)),
    "Index": (n) => network(n, [[1, [1, 0.5], 0.5], [1, [-1, 0, 0.5], 0.5]]),
    "Appendix A": appendix,
    "Random, k = 1": (n, chance = random) => drawn(n, 1, chance),
    "Random, k = 2": (n, chance = random) => drawn(n, 2, chance),
    "Your own weights": (n) => network(n, [[1, [1, 1], 1], [-1, [-1, -1], 1]]),
  };
  const neurons = ({ n, table, net }) => net ?? junta(n, table);
  const evaluate = (setting) => measure(setting.n, neurons(setting), setting.d ?? 1);

  const MOST = { u: 2, w: 2, b: 4 }; // of a slider, in steps of a quarter
  const code = ({ n, table, net }) => // what the address says of the function: its values 1 and -1 as 1 and 0, or the weights
    `fig-cube=${n}&${table ? `f=${table.map((v) => (v > 0 ? 1 : 0)).join("")}` : `net=${net.map(({ u, w, b }) => [u, ...w, b].join()).join("_")}`}`;
  const write = (setting) => `#${code(setting)}&x=${setting.x}&d=${setting.d}`;
  const read = (fragment) => { // nothing, unless the address holds a setting that the page could have written
    const asked = new URLSearchParams(fragment.slice(1)), n = Number(asked.get("fig-cube"));
    const whole = (key, most) => (/^\d+$/.test(asked.get(key)) ? min(Number(asked.get(key)), most) : key === "d" ? 1 : 0);
    if (n !== 3 && n !== 4) return undefined;
    const view = { x: whole("x", 2 ** n - 1), d: whole("d", n) }, f = asked.get("f") ?? "";
    if (RegExp(`^[01]{${2 ** n}}$`).test(f)) return { n, table: [...f].map((v) => 2 * v - 1), ...view };
    const rows = (asked.get("net") ?? "").split("_").map((row) => row.split(",").map(Number));
    const good = ([u, ...rest], b = rest.pop()) => rest.length === n && [...rest, u].every((v) => abs(v) <= MOST.w) && abs(b) <= MOST.b;
    if (rows.length > 4 || !rows.every((row) => good(row) && row.every((v) => Number.isInteger(4 * v)))) return undefined;
    return { ...network(n, rows.map(([u, ...rest]) => [u, rest.slice(0, n), rest[n]])), ...view };
  };

  // --- The page: the drawing of the figure is replaced by one that can be moved ---

  const VIEW = { 3: [[190, 0], [0, -170], [102, -78]], 4: [[183, 41], [80, -19], [0, -156], [36, -73]] }; // where each bit points
  const WIDTH = 350, HEIGHT = 380, CENTRE = [175, 170];
  const CORNER = { 3: [270, 362], 4: [22, 366] }, ARROW = 0.22; // where the names of the bits stand, and their share of an edge
  const place = (n, i) => CENTRE.map((middle, axis) => round(middle + sum(point(n, i).map((v, j) => (v * VIEW[n][j][axis]) / 2))));
  const show = (value) => String(round(1000 * value) / 1000 || 0).replace("-", "−");
  const short = (value) => String(round(100 * value) / 100 || 0).replace("-", "−");
  const lit = (list) => (list.length ? `neuron${list.length > 1 ? "s" : ""} ${list.map((j) => j + 1).join(", ")}` : "no neuron");
  const named = (n, i) => `(${point(n, i).map(show).join(", ")})`;
  const element = (tag, attributes, text = "") => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  };

  const axes = (n) => VIEW[n].flatMap(([right, down], j) => { // the direction in which each bit grows, with its number
    const [x1, y1] = CORNER[n], [x, y] = [ARROW * right, ARROW * down], far = 1 + 11 / hypot(x, y);
    const name = element("text", { x: x1 + far * x, y: y1 + far * y + 4, class: "axis" }, String(j + 1));
    return [element("line", { x1, y1, x2: x1 + x, y2: y1 + y, class: "axis" }), name];
  });

  const start = () => {
    const box = document.querySelector("#fig-cube .cc");
    if (!box) return;
    const buttons = (label, names) => `<p class="cube-row" role="group" aria-label="${label}">${names.map((name) => `<button type="button">${name}</button>`).join("")}</p>`;
    box.classList.add("cube");
    box.innerHTML = `${buttons("Cube", ["3 bits", "4 bits"])}${buttons("Function", Object.keys(presets))}
      <div class="cube-columns"><div><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="group" aria-label="The vertices of the cube" aria-describedby="cube-hint"></svg><p id="cube-hint"></p></div>
      <div class="cube-numbers"><p><b>AS(h) = <span data-cube="AS"></span></b><br><span data-cube="bound"></span></p>
      <div class="cube-meter" aria-hidden="true"><i></i></div>
      <p class="cube-here"><span data-cube="here"></span></p><p class="cube-lamps" aria-hidden="true"></p>
      <p><label for="cube-degree">Approximate by degree <output for="cube-degree"></output></label>
      <input type="range" id="cube-degree" min="0" step="1"></p><p data-cube="error"></p>
      <table><thead><tr><th scope="col">Degree</th><th scope="col">Fourier weight</th></tr></thead><tbody></tbody></table></div></div>
      <details class="cube-weights"><summary>The weights</summary><div></div></details>
      <p role="status" class="visually-hidden"></p>`;
    const find = (selector) => box.querySelector(selector), part = (name) => find(`[data-cube="${name}"]`);
    const [sizes, functions] = box.querySelectorAll(".cube-row"), svg = find("svg"), degree = find("#cube-degree"), status = find("[role=status]");
    let setting, vertices, lines, timer, said;

    const draw = () => { // the cube of the present dimension
      const { n } = setting;
      lines = measure(n, [], 0).edges.map(([i, j]) => {
        const [[x1, y1], [x2, y2]] = [place(n, i), place(n, j)];
        return element("line", { x1, y1, x2, y2 });
      });
      vertices = range(2 ** n).map((i) => {
        const [x, y] = place(n, i), group = element("g", { role: "button", class: "cube-vertex", transform: `translate(${x} ${y})` });
        group.append(element("circle", { r: 22, class: "room" }), element("circle", { r: 18 }), element("text", { y: 4 }));
        group.append(element("rect", { x: -22, y: 19, width: 44, height: 17, rx: 5, class: "plate" }), element("text", { y: 32, class: "near" }));
        group.addEventListener("click", () => { choose(i); flip(); group.focus(); });
        group.addEventListener("focus", () => setting.x === i || choose(i));
        group.addEventListener("keydown", (event) => press(event, i));
        return group;
      });
      svg.replaceChildren(...lines, ...axes(n), ...vertices);
    };

    const weights = () => { // a slider for each weight of at most four neurons
      const panel = find(".cube-weights div"), { n, net } = setting;
      if (!net) {
        panel.innerHTML = `<p>One neuron for each vertex <i>a</i>: ½ relu(⟨<i>a</i>, <i>x</i>⟩ − ${n - 2}) times the value there. Choose a network to move its weights.</p>`;
        return;
      }
      const slider = (j, name, key, value, most) => `<label><span><span class="visually-hidden">neuron ${j + 1}, </span>${name} = <output>${show(value)}</output></span>
        <input type="range" min="${-most}" max="${most}" step="0.25" value="${value}" data-neuron="${j}" data-key="${key}"></label>`;
      panel.innerHTML = net.map(({ u, w, b }, j) => `<fieldset><legend>Neuron ${j + 1}</legend>${slider(j, "u", "u", u, MOST.u)}
        ${w.map((v, i) => slider(j, `w<sub>${i + 1}</sub>`, i, v, MOST.w)).join("")}${slider(j, "b", "b", b, MOST.b)}</fieldset>`).join("")
        + buttons("Neurons", [...(net.length < 4 ? ["Add a neuron"] : []), ...(net.length > 1 ? ["Remove the last"] : [])]);
    };

    const update = () => { // everything that moves along
      const { n, x, d } = setting, found = measure(n, neurons(setting), d), { h, near, active, AS, bound } = found;
      const around = range(n).map((j) => h[x ^ (1 << j)] - h[x]), top = largest(h.map(abs)) || 1;
      lines.forEach((line, i) => {
        const width = min(3 * found.shares[i] * lines.length, 16); // 3 where all edges have the same share
        line.setAttribute("stroke-width", width || 1);
        line.setAttribute("class", width ? "flips" : "");
      });
      vertices.forEach((group, i) => {
        const chosen = i === x, value = h[i] / top, tone = `color-mix(in srgb, var(--cube-${value < 0 ? "minus" : "plus"}) ${round(35 * abs(value))}%, var(--pst-color-background))`;
        group.setAttribute("tabindex", chosen ? 0 : -1);
        group.classList.toggle("chosen", chosen);
        group.setAttribute("aria-label", `x = ${named(n, i)}, h = ${show(h[i])}, approximation ${show(near[i])}; active: ${lit(active[i])}`);
        group.children[1].style.fill = tone;
        group.children[2].textContent = short(h[i]);
        group.children[4].textContent = short(near[i]);
      });
      part("AS").textContent = show(AS);
      part("bound").innerHTML = `at most 4<i>k</i>²<i>W</i>² = ${show(bound)}, with <i>k</i> = ${found.k}, <i>W</i> = ${show(found.W)}`
        + (bound && AS > bound * (1 - 1e-12) ? ": <b>attained</b>" : "");
      find(".cube-meter i").style.width = `${bound ? (100 * AS) / bound : 0}%`;
      part("here").textContent = `At x = ${named(n, x)}: h = ${show(h[x])}; active: ${lit(active[x])}. Flipping bit ${range(n - 1).map((j) => j + 1).join(", ")} or ${n} changes h by ${around.map(show).join(", ")}.`;
      find(".cube-lamps").innerHTML = neurons(setting).map((_, j) => `<i class="${active[x].includes(j) ? "lit" : ""}">${j + 1}</i>`).join("");
      degree.max = n;
      degree.value = d;
      find("output[for=cube-degree]").textContent = `≤ ${d}`;
      part("error").innerHTML = `The small numbers in the drawing are the best approximation. Its mean squared error is <b>${show(found.error)}</b>, at most 4<i>k</i>²<i>W</i>²/(<i>d</i> + 1) = ${show(bound / (d + 1))}.`;
      const total = sum(found.weights) || 1;
      find("tbody").innerHTML = found.weights.map((weight, i) => `<tr class="${i > d ? "left" : ""}"><th scope="row">${i}</th><td><span>${show(weight)}</span><i style="width: ${(60 * weight) / total}%"></i></td></tr>`).join("");
      find("#cube-hint").textContent = setting.table ? "Click a vertex, or press Space, to flip its value; the arrow keys walk along the edges. The corner shows where each bit points." : "Click a vertex to see what is active there; the arrow keys walk along the edges. The corner shows where each bit points.";
      const press = (group, name) => [...group.children].forEach((button) => button.setAttribute("aria-pressed", name(button.textContent)));
      press(sizes, (name) => name === `${n} bits`);
      press(functions, (name) => !name.startsWith("R") && code(presets[name](n)) === code(setting));
      const words = `AS = ${show(AS)}, at most ${show(bound)}`;
      clearTimeout(timer);
      timer = setTimeout(() => { // one announcement and one address for a movement, and no entry in the history
        if (said !== undefined) history.replaceState(null, "", write(setting));
        if (said !== undefined && said !== words) status.textContent = words;
        said = words;
      }, 250);
    };
    const set = (next, rebuild = true) => {
      const old = setting;
      setting = { x: 0, d: 1, ...old, ...(next.table ? { net: undefined } : {}), ...(next.net ? { table: undefined } : {}), ...next };
      setting.x = min(setting.x, 2 ** setting.n - 1);
      setting.d = min(setting.d, setting.n);
      if (setting.n !== old?.n) draw();
      if (rebuild) weights();
      update();
    };
    const choose = (x) => set({ x }, false);
    const flip = () => { if (setting.table) set({ table: setting.table.map((v, i) => (i === setting.x ? -v : v)) }, false); };
    const press = (event, i) => {
      const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!way && event.key !== " " && event.key !== "Enter") return;
      event.preventDefault();
      if (!way) return flip();
      const [x, y] = place(setting.n, i); // along the edge that points there best, if one does
      const along = range(setting.n).map((j) => i ^ (1 << j)).map((to) => {
        const [dx, dy] = [place(setting.n, to)[0] - x, place(setting.n, to)[1] - y];
        return { to, cosine: (dx * way[0] + dy * way[1]) / hypot(dx, dy) };
      }).sort((one, other) => other.cosine - one.cosine)[0];
      if (along.cosine > 0.2) vertices[along.to].focus();
    };
    sizes.addEventListener("click", ({ target }) => {
      const n = parseInt(target.textContent, 10), kept = functions.querySelector("[aria-pressed=true]")?.textContent ?? "Majority";
      if (n && n !== setting.n) set({ ...presets[kept](n), x: 0 });
    });
    functions.addEventListener("click", ({ target }) => {
      if (!presets[target.textContent]) return;
      set(presets[target.textContent](setting.n));
      if (target.textContent.startsWith("Your")) find("details").open = true;
    });
    degree.addEventListener("input", () => set({ d: Number(degree.value) }, false));
    find(".cube-weights").addEventListener("input", ({ target: { dataset, value, parentElement } }) => {
      const net = structuredClone(setting.net), neuron = net[dataset.neuron];
      if (dataset.key === "u" || dataset.key === "b") neuron[dataset.key] = Number(value);
      else neuron.w[dataset.key] = Number(value);
      parentElement.querySelector("output").textContent = show(Number(value));
      set({ net }, false);
    });
    find(".cube-weights").addEventListener("click", ({ target }) => {
      if (target.textContent === "Add a neuron") set({ net: [...setting.net, { u: 1, w: Array(setting.n).fill(0.5), b: 0 }] });
      else if (target.textContent === "Remove the last") set({ net: setting.net.slice(0, -1) });
      else return;
      find(".cube-weights button").focus();
    });
    const follow = () => {
      const asked = read(location.hash);
      if (asked) { set(asked); box.closest("figure").scrollIntoView(); }
      return asked;
    };
    addEventListener("hashchange", follow);
    if (!follow()) set(presets.Majority(3));
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();

  return { presets, neurons, evaluate, read, write };
})();
