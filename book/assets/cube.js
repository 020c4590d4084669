// The cube of the first page. Functions of three or four bits, whose values or weights one changes; and under
// "Further" networks with up to ten bits. First the settings and addresses of both, then their pages.
const cube = (() => {
  const { abs, floor, hypot, log, max, min, PI, random, round, sqrt } = Math;
  const { bits, edges, inner, point, range, sign, sum } = sparse;

  const pick = (list, chance) => list[floor(chance() * list.length)];
  // Random neurons one by one: each points at a vertex with fewer than k active ones, and takes as many of
  // the highest vertices as are free, up to its share of them; `vector` and `bias` say how.
  const drawn = (n, k, s, chance, vector, bias) => {
    const N = 1 << n, count = Array(N).fill(0), neurons = [];
    const free = (i) => count[i] < k;
    for (let j = 0; j < s && range(N).some(free); j++) {
      const w = vector(point(n, pick(range(N).filter(free), chance)));
      const z = inner(n, w), b = bias(z, free, (k * N) / s);
      z.forEach((v, i) => { count[i] += v > b; });
      neurons.push({ u: pick([-1, 1], chance), w, b });
    }
    return neurons;
  };

  // --- Three or four bits: a setting { n, x, d } has a table of signs, or the neurons themselves ---

  const table = (n, f) => ({ n, table: range(2 ** n).map((i) => f(point(n, i))) });
  const padded = (n, w) => [...w, ...Array(n - w.length).fill(0)];
  const network = (n, rows) => ({ n, net: rows.map(([u, w, b]) => ({ u, w: padded(n, w), b })) });
  const quarters = (n, k, chance) => { // all weights are quarters, so that no rounding decides anything
    const vector = (x) => x.map((v) => v * pick([0.25, 0.5, 0.75, 1], chance));
    return { n, net: drawn(n, k, 4, chance, vector, (z, free, most) => {
      const above = (b) => range(z.length).filter((i) => z[i] > b);
      const fits = (list) => list.length > 0 && list.length <= most && list.every(free);
      return pick([...new Set(z)].filter((b) => fits(above(b))), chance);
    }) };
  };
  const appendix = (n) => { // the address has n - 2 bits; Gamma = 1
    const data = [[1, 0.5], [-0.5, 1], [0.75, -1], [-1, -0.5]].slice(0, 2 ** (n - 2));
    return network(n, data.map((w, a) => [1, [...point(n - 2, a), ...w], n - 2]));
  };
  const presets = {
    "Dictator": (n) => table(n, (x) => x[0]),
    "Majority": (n) => table(n, (x) => Math.sign(sum(x) + x[0] / 2)), // x_1 decides between as many of each
    "Parity": (n) => table(n, (x) => x.reduce((product, v) => product * v, 1)),
    "Index": (n) => network(n, [[1, [1, 0.5], 0.5], [1, [-1, 0, 0.5], 0.5]]),
    "Appendix A": appendix,
    "Random, k = 1": (n, chance = random) => quarters(n, 1, chance),
    "Random, k = 2": (n, chance = random) => quarters(n, 2, chance),
    "Your own weights": (n) => network(n, [[1, [1, 1], 1], [-1, [-1, -1], 1]]),
  };
  const junta = (n, values) => // one neuron for each point
    values.map((u, a) => ({ u, w: point(n, a).map((v) => v / 2), b: n / 2 - 1 }));
  const neurons = ({ n, table: values, net }) => net ?? junta(n, values);
  const evaluate = (setting) => {
    const { n } = setting, all = sparse.evaluate({ n, neurons: neurons(setting) }, setting.d ?? 1);
    const share = ([i, j]) => (all.h[i] - all.h[j]) ** 2 / (2 ** (n + 1) * all.AS || 1); // of an edge in AS
    return { ...all, edges: edges(n), shares: edges(n).map(share) };
  };

  const MOST = { u: 2, w: 2, b: 4 }; // of a slider, in steps of a quarter
  const code = ({ n, table: values, net }) => { // in an address: values 1 and -1 as 1 and 0, or the weights
    if (values) return `fig-cube=${n}&f=${values.map((v) => (v > 0 ? 1 : 0)).join("")}`;
    return `fig-cube=${n}&net=${net.map(({ u, w, b }) => [u, ...w, b].join()).join("_")}`;
  };
  const write = (setting) => `#${code(setting)}&x=${setting.x}&d=${setting.d}`;
  const read = (fragment) => { // nothing, unless the address holds a setting that the page could have written
    const asked = new URLSearchParams(fragment.slice(1)), n = Number(asked.get("fig-cube"));
    if (n !== 3 && n !== 4) return undefined;
    const whole = (key, most, otherwise) =>
      (/^\d+$/.test(asked.get(key)) ? min(Number(asked.get(key)), most) : otherwise);
    const view = { x: whole("x", 2 ** n - 1, 0), d: whole("d", n, 1) }, f = asked.get("f") ?? "";
    if (RegExp(`^[01]{${2 ** n}}$`).test(f)) return { n, table: [...f].map((v) => 2 * v - 1), ...view };
    const rows = (asked.get("net") ?? "").split("_").map((row) => row.split(",").map(Number));
    const good = (row) => row.length === n + 2 && row.every((v) => Number.isInteger(4 * v))
      && row.slice(0, -1).every((v) => abs(v) <= MOST.w) && abs(row[n + 1]) <= MOST.b;
    if (rows.length > 4 || !rows.every(good)) return undefined;
    return { ...network(n, rows.map(([u, ...rest]) => [u, rest.slice(0, n), rest[n]])), ...view };
  };

  // --- Further: n inputs, k active at a time, weight vectors of length W ---

  // Of each slider: least, most and step. 2^10 cells of 11 pixels fill the drawing.
  const SPAN = { n: [3, 10, 1], k: [1, 4, 1], W: [0.25, 4, 0.25] };
  const ROOM = 1e-9; // above the values at which a neuron is only just silent: rounding must not wake it
  const NEURONS = 12; // of the random networks: about as many colours as the eye tells apart

  const scaled = (w, length) => w.map((v) => (v * length) / hypot(...w));
  const gauss = (chance) => sqrt(-2 * log(1 - chance())) * Math.cos(2 * PI * chance());
  const generator = (seed) => { // Park and Miller's, to draw the same network again
    let state = seed % 2147483647 || 1;
    return () => (state = (state * 48271) % 2147483647) / 2147483647;
  };
  const halfway = (z, free, most) => { // between two values, so that no rounding decides anything
    const order = range(z.length).sort((i, j) => z[j] - z[i]), full = order.findIndex((i) => !free(i));
    const count = min(full < 0 ? Infinity : full, max(1, floor(most)), z.length - 1);
    return (z[order[count - 1]] + z[order[count]]) / 2;
  };
  const families = {
    "Random, sparse": (n, k, W, seed) => {
      const chance = generator(seed), vector = (x) => scaled(x.map((v) => v * (0.25 + 0.75 * chance())), W);
      return { n, neurons: drawn(n, k, NEURONS, chance, vector, halfway), copies: 1 };
    },
    "Look-up": (n, k, W) => {
      const m = n < 6 ? 1 : 2; // bits of the address, whose 2^m data bits must fit too
      const unit = W / sqrt(m + 0.25), b = unit * (m - 0.5 + ROOM);
      const w = (a) => range(n).map((j) => (j < m ? unit * sign(a, j) : j === m + a ? unit / 2 : 0));
      return { n, neurons: range(1 << m).map((a) => ({ u: 1, w: w(a), b })), copies: k };
    },
    "Parity": (n, k, W) => {
      const unit = W / sqrt(n), b = unit * (n - 2 + ROOM);
      const at = (a) => ({ u: bits(a) % 2 ? -1 : 1, w: point(n, a).map((v) => unit * v), b });
      return { n, neurons: range(1 << n).map(at), copies: k };
    },
    "Random, dense": (n, k, W, seed) => {
      const chance = generator(seed), vector = () => scaled(range(n).map(() => gauss(chance)), W);
      const neuron = () => ({ u: pick([-1, 1], chance), w: vector(), b: 0 });
      return { n, neurons: range(NEURONS).map(neuron), copies: 1 };
    },
  };
  const names = Object.keys(families);
  const further = { // its address is #cube-further=family,n,k,W,seed
    network: ({ family, n, k, W, seed }) => families[family](n, k, W, seed),
    write: ({ family, n, k, W, seed }) => `#cube-further=${[names.indexOf(family), n, k, W, seed].join()}`,
    read(fragment) { // nothing, unless the page could have written it
      const asked = new URLSearchParams(fragment.slice(1)).get("cube-further") ?? "";
      const [at, n, k, W, seed, ...rest] = asked.split(",").map(Number);
      const setting = { family: names[at], n, k, W, seed };
      const steps = Object.entries(SPAN).every(([key, [least, most, step]]) =>
        setting[key] >= least && setting[key] <= most && Number.isInteger(setting[key] / step));
      const seeded = Number.isInteger(seed) && seed >= 1 && seed < 1e6;
      return names[at] && steps && seeded && !rest.length ? setting : undefined;
    },
  };

  // --- Words and parts of both pages ---

  const plain = (value) => String(value || 0).replace("-", "−");
  const show = (value) => plain(round(1000 * value) / 1000);
  const short = (value) => plain(round(100 * value) / 100);
  const digits = (value) => plain(Number(value.toPrecision(4)));
  const lit = (list) => {
    if (!list.length) return "no neuron";
    return `neuron${list.length > 1 ? "s" : ""} ${list.map((j) => j + 1).join(", ")}`;
  };
  const named = (n, i) => `(${point(n, i).map(plain).join(", ")})`;
  const said = (n, x, { h, active }, words) =>
    `At x = ${named(n, x)}: h = ${words(h[x])}; active: ${lit(active[x])}.`;
  const flips = (n, x, h, words) => range(n).map((j) => words(h[x ^ (1 << j)] - h[x])).join(", ");
  const limit = ({ k, W, bound }, words) =>
    `at most 4<i>k</i>²<i>W</i>² = ${words(bound)}, with <i>k</i> = ${k}, <i>W</i> = ${words(W)}`;
  const buttons = (label, list) => `<p class="cube-row" role="group" aria-label="${label}">${
    list.map((name) => `<button type="button">${name}</button>`).join("")}</p>`;
  const pressed = (row, chosen) =>
    [...row.children].forEach((button) => button.setAttribute("aria-pressed", chosen(button.textContent)));
  const METER = '<div class="cube-meter" aria-hidden="true"><i></i></div>';
  const WAYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const REST = 250; // milliseconds: one announcement and one address for a movement

  // --- The page: the drawing of the figure is replaced by one that can be moved ---

  const VIEW = { // where each bit points
    3: [[190, 0], [0, -170], [102, -78]],
    4: [[183, 41], [80, -19], [0, -156], [36, -73]],
  };
  const WIDTH = 370, HEIGHT = 380, CENTRE = [175, 170];
  const CORNER = { 3: [288, 362], 4: [22, 366] }; // where the names of the bits stand
  const ARROW = 0.22; // of an edge, beside such a name
  const place = (n, i) => CENTRE.map((middle, axis) =>
    round(middle + sum(point(n, i).map((v, j) => (v * VIEW[n][j][axis]) / 2))));
  const segment = (x1, y1, x2, y2, kind = "edge") =>
    `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" class="${kind}"/>`;
  const axis = (n, j) => { // where a bit grows, with its number
    const [x1, y1] = CORNER[n], [x, y] = VIEW[n][j].map((way) => ARROW * way), far = 1 + 11 / hypot(x, y);
    const name = `<text x="${x1 + far * x}" y="${y1 + far * y + 4}" class="axis">${j + 1}</text>`;
    return segment(x1, y1, x1 + x, y1 + y, "axis") + name;
  };
  const vertex = (n, i) => `<g role="button" class="cube-vertex" transform="translate(${place(n, i)})">
    <circle r="23" class="room"/><circle r="18"/><text y="4"></text>
    <text x="16" y="31" class="near"></text></g>`; // between its edges, of which none points there
  const TO_FLIP = "Click a vertex, or press Space, to flip its value";
  const TO_SEE = "Click a vertex to see what is active there";
  const WALK = "; the arrow keys walk along the edges. The corner shows where each bit points.";

  const small = (box) => {
    box.classList.add("cube");
    box.innerHTML = `${buttons("Cube", ["3 bits", "4 bits"])}${buttons("Function", Object.keys(presets))}
      <div class="cube-columns"><div><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="group"
      aria-label="The vertices of the cube" aria-describedby="cube-hint"></svg><p id="cube-hint"></p></div>
      <div class="cube-numbers"><p><b>AS(h) = <span data-cube="AS"></span></b><br>
      <span data-cube="bound"></span></p>${METER}
      <p class="cube-here"><span data-cube="here"></span></p><p class="cube-lamps" aria-hidden="true"></p>
      <p><label for="cube-degree">Approximate by degree <output for="cube-degree"></output></label>
      <input type="range" id="cube-degree" min="0" step="1"></p><p data-cube="error"></p>
      <table><thead><tr><th scope="col">Degree</th><th scope="col">Fourier weight</th></tr></thead>
      <tbody></tbody></table></div></div>
      <details class="cube-weights"><summary>The weights</summary><div></div></details>
      <p role="status" class="visually-hidden"></p>`;
    const find = (selector) => box.querySelector(selector), part = (name) => find(`[data-cube="${name}"]`);
    const [sizes, functions] = box.querySelectorAll(".cube-row"), svg = find("svg");
    const degree = find("#cube-degree"), status = find("[role=status]"), panel = find(".cube-weights");
    let setting, vertices, lines, timer, last;

    const draw = () => { // the cube of the present dimension
      const { n } = setting;
      svg.innerHTML = [
        ...edges(n).map((ends) => segment(...ends.flatMap((i) => place(n, i)))),
        ...range(n).map((j) => axis(n, j)),
        ...range(2 ** n).map((i) => vertex(n, i)),
      ].join("");
      lines = [...svg.querySelectorAll(".edge")];
      vertices = [...svg.querySelectorAll(".cube-vertex")];
    };

    const slider = (j, name, key, value, most) => `<label><span>
      <span class="visually-hidden">neuron ${j + 1}, </span>${name} = <b>${show(value)}</b></span>
      <input type="range" min="${-most}" max="${most}" step="0.25" value="${value}" data-neuron="${j}"
      data-key="${key}"></label>`;
    const neuron = ({ u, w, b }, j) => {
      const vector = w.map((v, i) => slider(j, `w<sub>${i + 1}</sub>`, i, v, MOST.w));
      const all = [slider(j, "u", "u", u, MOST.u), ...vector, slider(j, "b", "b", b, MOST.b)];
      return `<fieldset><legend>Neuron ${j + 1}</legend>${all.join("")}</fieldset>`;
    };
    const weights = () => { // a slider for each weight of at most four neurons
      const { n, net } = setting, s = net?.length;
      const change = { "Add a neuron": s < 4, "Remove the last": s > 1 };
      const possible = Object.keys(change).filter((name) => change[name]);
      panel.lastElementChild.innerHTML = net ? net.map(neuron).join("") + buttons("Neurons", possible)
        : `<p>One neuron for each vertex <i>a</i>: ½ relu(⟨<i>a</i>, <i>x</i>⟩ − ${n - 2}) times the value
          there. Choose a network to move its weights.</p>`;
    };

    const paint = ({ h, near, active, shares }) => { // the drawing
      const { n, x } = setting, top = max(...h.map(abs)) || 1;
      lines.forEach((line, i) => {
        const width = min(3 * shares[i] * lines.length, 16); // 3 where all edges have the same share
        line.setAttribute("stroke-width", width || 1);
        line.setAttribute("class", width ? "flips" : "");
      });
      vertices.forEach((group, i) => {
        const side = `var(--cube-${h[i] < 0 ? "minus" : "plus"}) ${round(35 * abs(h[i] / top))}%`;
        const words = `x = ${named(n, i)}, h = ${show(h[i])}, approximation ${show(near[i])}`;
        group.setAttribute("tabindex", i === x ? 0 : -1);
        group.classList.toggle("chosen", i === x);
        group.setAttribute("aria-label", `${words}; active: ${lit(active[i])}`);
        group.children[1].style.fill = `color-mix(in srgb, ${side}, var(--pst-color-background))`;
        group.children[2].textContent = short(h[i]);
        group.children[3].textContent = short(near[i]);
      });
    };
    const update = () => { // everything that moves along
      const { n, x, d } = setting, all = evaluate(setting), { AS, bound, active } = all;
      const attained = bound && AS > bound * (1 - 1e-12), total = sum(all.weights) || 1;
      paint(all);
      part("AS").textContent = show(AS);
      part("bound").innerHTML = limit(all, show) + (attained ? ": <b>attained</b>" : "");
      find(".cube-meter i").style.width = `${bound ? (100 * AS) / bound : 0}%`;
      part("here").textContent = `${said(n, x, all, show)} Flipping bit ${
        range(n - 1).map((j) => j + 1).join(", ")} or ${n} changes h by ${flips(n, x, all.h, show)}.`;
      find(".cube-lamps").innerHTML = "Neurons " + neurons(setting).map((_, j) =>
        `<i class="${active[x].includes(j) ? "lit" : ""}">${j + 1}</i>`).join("");
      degree.max = n;
      degree.value = d;
      find("output[for=cube-degree]").textContent = `≤ ${d}`;
      part("error").innerHTML = `The small numbers in the drawing are the best approximation.
        Its mean squared error${d < n ? ", the orange bars," : ""} is <b>${show(all.error)}</b>,
        at most <span class="glued">4<i>k</i>²<i>W</i>²/(<i>d</i> + 1) = ${show(bound / (d + 1))}.</span>`;
      find("tbody").innerHTML = all.weights.map((weight, i) => `<tr class="${i > d ? "left" : ""}">
        <th scope="row">${i}</th>
        <td><span>${show(weight)}</span><i style="width: ${(60 * weight) / total}%"></i></td></tr>`).join("");
      find("#cube-hint").textContent = (setting.table ? TO_FLIP : TO_SEE) + WALK;
      pressed(sizes, (name) => name === `${n} bits`);
      pressed(functions, (name) => !name.startsWith("R") && code(presets[name](n)) === code(setting));
      const words = `AS = ${show(AS)}, at most ${show(bound)}`;
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (last !== undefined) history.replaceState(null, "", write(setting));
        if (last !== undefined && last !== words) status.textContent = words;
        last = words;
      }, REST);
    };
    const set = (next, rebuild = true) => {
      const before = setting, { n, x, d, table: values, net } = { x: 0, d: 1, ...before, ...next };
      const weighted = next.net || (net && !next.table);
      setting = { n, x: min(x, 2 ** n - 1), d: min(d, n), ...(weighted ? { net } : { table: values }) };
      if (n !== before?.n) draw();
      if (rebuild) weights();
      update();
    };
    const choose = (x) => set({ x }, false);
    const flip = () =>
      setting.table && set({ table: setting.table.map((v, i) => (i === setting.x ? -v : v)) }, false);
    const press = (event, i) => {
      const way = WAYS[event.key];
      if (!way && event.key !== " " && event.key !== "Enter") return;
      event.preventDefault();
      if (!way) return flip();
      const { n } = setting, [x, y] = place(n, i); // along the edge that points there best, if one does
      const cosines = range(n).map((j) => {
        const [x2, y2] = place(n, i ^ (1 << j));
        return ((x2 - x) * way[0] + (y2 - y) * way[1]) / hypot(x2 - x, y2 - y);
      });
      const best = max(...cosines);
      if (best > 0.2) vertices[i ^ (1 << cosines.indexOf(best))].focus();
    };
    sizes.addEventListener("click", ({ target }) => {
      const n = parseInt(target.textContent, 10), kept = functions.querySelector("[aria-pressed=true]");
      if (n && n !== setting.n) set({ ...presets[kept?.textContent ?? "Majority"](n), x: 0 });
    });
    functions.addEventListener("click", ({ target }) => {
      if (!presets[target.textContent]) return;
      set(presets[target.textContent](setting.n));
      if (target.textContent.startsWith("Your")) panel.open = true;
    });
    const met = ({ target }) => vertices.indexOf(target.closest(".cube-vertex"));
    svg.addEventListener("click", (event) => {
      if (met(event) < 0) return;
      choose(met(event));
      flip();
      vertices[setting.x].focus();
    });
    svg.addEventListener("focusin", (event) => met(event) === setting.x || choose(met(event)));
    svg.addEventListener("keydown", (event) => press(event, met(event)));
    degree.addEventListener("input", () => set({ d: Number(degree.value) }, false));
    panel.addEventListener("input", ({ target: { dataset, value, parentElement } }) => {
      const net = structuredClone(setting.net), moved = net[dataset.neuron];
      (dataset.key in moved ? moved : moved.w)[dataset.key] = Number(value);
      parentElement.querySelector("b").textContent = show(Number(value));
      set({ net }, false);
    });
    panel.addEventListener("click", ({ target: { textContent: asked } }) => {
      const { n, net } = setting;
      if (asked === "Add a neuron") set({ net: [...net, { u: 1, w: Array(n).fill(0.5), b: 0 }] });
      else if (asked === "Remove the last") set({ net: net.slice(0, -1) });
      else return;
      panel.querySelector("button").focus();
    });
    const follow = () => {
      const asked = read(location.hash);
      if (!asked) return false;
      set(asked);
      box.closest("figure").scrollIntoView();
      return true;
    };
    addEventListener("hashchange", follow);
    if (!follow()) set(presets.Majority(3));
  };

  // --- The page, further: each cell is a point ---

  const SIDE = 352; // pixels of the drawing, a multiple of 32 cells
  const gray = (i) => i ^ (i >> 1); // neighbours of the drawing differ in one bit
  const shape = (n) => [1 << (n - (n >> 1)), 1 << (n >> 1)]; // columns, rows
  const cell = (n, column, row) => gray(column) | (gray(row) << (n - (n >> 1)));
  const colour = (j) => `hsl(${(j * 137.5) % 360} 60% 55%)`; // the golden angle keeps neighbours apart

  const large = (box) => {
    const slider = (key, name) => {
      const [least, most, step] = SPAN[key];
      return `<label><span>${name} = <b></b></span>
        <input type="range" data-key="${key}" min="${least}" max="${most}" step="${step}"></label>`;
    };
    const details = document.createElement("details");
    details.className = "further";
    details.innerHTML = `<summary>Further: up to ${SPAN.n[1]} bits</summary>${buttons("Network", names)}
      <div class="further-sliders">${slider("n", "<i>n</i>, bits")}${slider("k", "<i>k</i>, active at once")}
      ${slider("W", "<i>W</i>, weight length")}</div>
      <div class="cube-columns"><div>
      <canvas width="${2 * SIDE}" height="${2 * SIDE}" tabindex="0" role="img"></canvas>
      <p>Each cell is a point of the cube; cells side by side differ in one bit. A colour is the region of one
      neuron, and is stronger where several are active. Heavy frame: <i>x</i>; framed: its flips.</p></div>
      <div class="cube-numbers"><p><b>AS(h) = <span data-further="AS"></span></b><br>
      <span data-further="bound"></span></p>${METER}
      <p>Fourier weight by degree</p><div class="further-bars" aria-hidden="true"></div>
      <p class="visually-hidden" data-further="spectrum"></p>
      <p class="cube-here" role="status" data-further="here"></p>
      <p class="cube-row"><button type="button" class="another">Another random network</button></p>
      </div></div>`;
    box.append(details);
    const find = (selector) => details.querySelector(selector);
    const part = (name) => find(`[data-further="${name}"]`);
    const canvas = find("canvas"), pen = canvas.getContext("2d"), row = find(".cube-row");
    const sliders = [...details.querySelectorAll("input")], another = find(".another");
    let setting = { family: names[0], n: 8, k: 2, W: 1, seed: 1 }, all, at = [0, 0], timer;

    const cells = (mark) => { // `mark` is given the point of a cell, and the cell less a rim
      const [columns, rows] = shape(setting.n), width = canvas.width / columns, height = canvas.height / rows;
      range(rows).forEach((y) => range(columns).forEach((x) => {
        const less = (rim) => [x * width + rim, y * height + rim, width - 2 * rim, height - 2 * rim];
        mark(cell(setting.n, x, y), less);
      }));
    };
    const draw = () => {
      pen.clearRect(0, 0, canvas.width, canvas.height);
      cells((i, less) => {
        const [first] = all.active[i];
        pen.globalAlpha = first === undefined ? 0.12 : min(1, 0.4 + 0.15 * all.active[i].length);
        pen.fillStyle = first === undefined ? "#808080" : colour(first);
        pen.fillRect(...less(1));
      });
      pen.globalAlpha = 1;
      pen.strokeStyle = getComputedStyle(canvas).color;
      cells((i, less) => { // the chosen point and its neighbours
        const apart = bits(i ^ cell(setting.n, ...at));
        pen.lineWidth = apart ? 3 : 7;
        if (apart < 2) pen.strokeRect(...less(3));
      });
    };
    const tell = () => {
      const { n } = setting, x = cell(n, ...at);
      part("here").textContent =
        `${said(n, x, all, digits)} The ${n} flips change h by ${flips(n, x, all.h, digits)}.`;
    };
    const update = () => {
      all = sparse.evaluate(further.network(setting));
      const { AS, bound, weights } = all, top = max(...weights) || 1, [columns, rows] = shape(setting.n);
      const percent = (100 * AS) / bound, attained = AS > bound * (1 - 1e-6);
      at = [min(at[0], columns - 1), min(at[1], rows - 1)];
      part("AS").textContent = digits(AS);
      part("bound").innerHTML =
        `${limit(all, digits)}: ${attained ? "<b>attained</b>" : `${digits(percent)} % of it`}`;
      find(".cube-meter i").style.width = `${percent}%`;
      const bar = (weight, d) => `<span>${plain(Number((round(100 * weight) / 100).toPrecision(2)))}
        <i style="height: calc((100% - 2.8rem) * ${weight / top})"></i>${d}</span>`; // two lines of numbers
      find(".further-bars").innerHTML = weights.map(bar).join("");
      part("spectrum").textContent = weights.map((weight, d) => `degree ${d}: ${digits(weight)}`).join(", ");
      canvas.setAttribute("aria-label", `The ${1 << setting.n} points of the cube and the regions of the `
        + `neurons; the arrow keys move the chosen point. AS = ${digits(AS)}, at most ${digits(bound)}`);
      for (const input of sliders) {
        input.value = setting[input.dataset.key];
        input.parentElement.querySelector("b").textContent = digits(setting[input.dataset.key]);
      }
      sliders[1].disabled = setting.family === "Random, dense"; // as many are then active as are
      another.hidden = !setting.family.startsWith("Random");
      pressed(row, (name) => name === setting.family);
      draw();
      tell();
    };
    const set = (next) => {
      setting = { ...setting, ...next };
      update();
      clearTimeout(timer);
      timer = setTimeout(() => history.replaceState(null, "", further.write(setting)), REST);
    };
    const choose = (column, line) => {
      const [columns, rows] = shape(setting.n);
      at = [(column + columns) % columns, (line + rows) % rows]; // the code is cyclic, as the cube is
      draw();
      tell();
    };
    details.addEventListener("input", ({ target }) => set({ [target.dataset.key]: Number(target.value) }));
    another.addEventListener("click", () => set({ seed: (setting.seed % 999) + 1 }));
    row.addEventListener("click", ({ target }) => {
      if (families[target.textContent]) set({ family: target.textContent });
    });
    canvas.addEventListener("click", ({ offsetX, offsetY }) => {
      const [columns, rows] = shape(setting.n), { width, height } = canvas.getBoundingClientRect();
      const index = (share, count) => min(floor(share * count), count - 1);
      choose(index(offsetX / width, columns), index(offsetY / height, rows));
    });
    canvas.addEventListener("keydown", (event) => {
      const way = WAYS[event.key];
      if (!way) return;
      event.preventDefault();
      choose(at[0] + way[0], at[1] + way[1]);
    });
    details.addEventListener("toggle", () => details.open && update());
    new MutationObserver(() => details.open && draw())
      .observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const follow = () => {
      const asked = further.read(location.hash);
      if (!asked) return;
      setting = asked;
      details.open = true;
      update();
      details.scrollIntoView();
    };
    addEventListener("hashchange", follow);
    follow();
  };

  addEventListener("DOMContentLoaded", () => {
    const box = document.querySelector("#fig-cube .cc");
    if (!box) return;
    small(box);
    large(box);
  });

  return { presets, neurons, evaluate, read, write, further };
})();
