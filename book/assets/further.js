// The cube, further: networks with up to ten inputs, below the cube of the first page. `further.evaluate` computes every
// quantity by a fast Walsh-Hadamard transform (tests/site/test_moving.py compares it with sparse_core).
const further = (() => {
  const { abs, floor, hypot, log, max, min, PI, sqrt } = Math;
  const FEWEST = 3, MOST = 10; // bits: 2^10 cells of 11 pixels fill the drawing
  const SIDE = 352; // pixels of the drawing, a multiple of 32 cells
  const ROOM = 1e-9; // above the values at which a neuron is only just silent: rounding must not wake it
  const NEURONS = 12; // of the random networks: about as many colours as the eye tells apart

  // --- Mathematics: a network { n, neurons: [{ u, w, b }], copies } has `copies` copies of each neuron ---

  const range = (m) => [...Array(m).keys()];
  const bits = (T) => { let count = 0; for (; T; T &= T - 1) count++; return count; };
  const sign = (i, j) => 1 - 2 * ((i >> j) & 1); // point 0 is (1, ..., 1)

  const inner = (n, w) => { // <w, x> at all points: each differs from an earlier one in its lowest bit
    const z = new Float64Array(1 << n);
    z[0] = w.reduce((total, v) => total + v, 0);
    for (let i = 1; i < z.length; i++) z[i] = z[i & (i - 1)] - 2 * w[31 - Math.clz32(i & -i)];
    return z;
  };
  const transform = (h) => { // of Walsh and Hadamard: n 2^n additions
    const f = Float64Array.from(h), N = f.length;
    for (let step = 1; step < N; step *= 2) {
      for (let start = 0; start < N; start += 2 * step) {
        for (let i = start; i < start + step; i++) [f[i], f[i + step]] = [f[i] + f[i + step], f[i] - f[i + step]];
      }
    }
    return f.map((value) => value / N);
  };
  const evaluate = ({ n, neurons, copies = 1 }) => {
    const N = 1 << n, h = new Float64Array(N), active = range(N).map(() => []);
    let W = 0;
    neurons.forEach(({ u, w, b }, j) => {
      inner(n, w).forEach((z, i) => {
        if (!(z > b)) return;
        h[i] += copies * u * (z - b);
        active[i].push(j);
      });
      W = max(W, abs(u) * hypot(...w));
    });
    const weights = Array(n + 1).fill(0);
    transform(h).forEach((value, T) => { weights[bits(T)] += value ** 2; });
    const AS = weights.reduce((total, weight, degree) => total + degree * weight, 0);
    const k = copies * active.reduce((most, one) => max(most, one.length), 0);
    return { h: [...h], active, k, W, weights, AS, bound: 4 * k ** 2 * W ** 2 };
  };

  // --- Networks: n inputs, k active at a time, weight vectors of length W ---

  const scaled = (w, length) => w.map((v) => (v * length) / hypot(...w));
  const gauss = (chance) => sqrt(-2 * log(1 - chance())) * Math.cos(2 * PI * chance());
  const generator = (seed) => { // Park and Miller's, to draw the same network again
    let state = seed % 2147483647 || 1;
    return () => (state = (state * 48271) % 2147483647) / 2147483647;
  };
  // One by one: each neuron points at a vertex with fewer than k active ones, and takes as many of the highest vertices
  // as are free, up to its share. The bias lies halfway between two values, so that no rounding decides anything.
  const drawn = (n, k, W, chance) => {
    const N = 1 << n, count = new Uint8Array(N), neurons = [];
    for (let j = 0; j < NEURONS; j++) {
      const free = range(N).filter((i) => count[i] < k);
      if (!free.length) break;
      const at = free[floor(chance() * free.length)];
      const w = scaled(range(n).map((i) => sign(at, i) * (0.25 + 0.75 * chance())), W), z = inner(n, w);
      const order = range(N).sort((one, other) => z[other] - z[one]), full = order.findIndex((i) => count[i] >= k);
      const most = min(full < 0 ? N - 1 : full, max(1, floor((k * N) / NEURONS)), N - 1);
      const b = (z[order[most - 1]] + z[order[most]]) / 2;
      order.slice(0, most).forEach((i) => { count[i] += 1; });
      neurons.push({ u: chance() < 0.5 ? -1 : 1, w, b });
    }
    return { n, neurons, copies: 1 };
  };
  const lookedUp = (n) => (n < 6 ? 1 : 2); // bits of the address, whose 2^b data bits must fit too
  const families = {
    "Random, sparse": (n, k, W, seed) => drawn(n, k, W, generator(seed)),
    "Look-up": (n, k, W) => {
      const b = lookedUp(n), unit = W / sqrt(b + 0.25);
      const w = (a) => range(n).map((j) => (j < b ? unit * sign(a, j) : j === b + a ? unit / 2 : 0));
      return { n, neurons: range(1 << b).map((a) => ({ u: 1, w: w(a), b: unit * (b - 0.5 + ROOM) })), copies: k };
    },
    "Parity": (n, k, W) => {
      const unit = W / sqrt(n), of = (a) => ({ u: bits(a) % 2 ? -1 : 1, w: range(n).map((j) => unit * sign(a, j)), b: unit * (n - 2 + ROOM) });
      return { n, neurons: range(1 << n).map(of), copies: k };
    },
    "Random, dense": (n, k, W, seed) => {
      const chance = generator(seed);
      return { n, neurons: range(NEURONS).map(() => ({ u: chance() < 0.5 ? -1 : 1, w: scaled(range(n).map(() => gauss(chance)), W), b: 0 })), copies: 1 };
    },
  };
  const network = ({ family, n, k, W, seed }) => families[family](n, k, W, seed);

  // --- The address: #cube-further=family,n,k,W,seed ---

  const names = Object.keys(families);
  const write = ({ family, n, k, W, seed }) => `#cube-further=${[names.indexOf(family), n, k, W, seed].join()}`;
  const read = (fragment) => { // nothing, unless the page could have written it
    const [at, n, k, W, seed, ...rest] = (new URLSearchParams(fragment.slice(1)).get("cube-further") ?? "").split(",").map(Number);
    const whole = [at, n, k, 4 * W, seed].every(Number.isInteger) && !rest.length;
    const within = names[at] && n >= FEWEST && n <= MOST && k >= 1 && k <= 4 && W >= 0.25 && W <= 4 && seed >= 1 && seed < 1e6;
    return whole && within ? { family: names[at], n, k, W, seed } : undefined;
  };

  // --- The page ---

  const gray = (i) => i ^ (i >> 1); // neighbours of the drawing differ in one bit
  const shape = (n) => [1 << (n - (n >> 1)), 1 << (n >> 1)]; // columns, rows
  const cell = (n, column, row) => gray(column) | (gray(row) << (n - (n >> 1)));
  const show = (value) => String(Number(value.toPrecision(4))).replace("-", "−");
  const colour = (j) => `hsl(${(j * 137.5) % 360} 60% 55%)`; // the golden angle keeps neighbours apart

  const start = () => {
    const box = document.querySelector("#fig-cube .cc.cube");
    if (!box) return;
    const slider = (key, name, least, most, step) => `<label><span>${name} = <output></output></span>
      <input type="range" data-key="${key}" min="${least}" max="${most}" step="${step}"></label>`;
    const details = document.createElement("details");
    details.className = "further";
    details.innerHTML = `<summary>Further: up to ${MOST} bits</summary>
      <p class="cube-row" role="group" aria-label="Network">${names.map((name) => `<button type="button">${name}</button>`).join("")}</p>
      <div class="further-sliders">${slider("n", "<i>n</i>, bits", FEWEST, MOST, 1)}${slider("k", "<i>k</i>, active at once", 1, 4, 1)}
      ${slider("W", "<i>W</i>, length of the weights", 0.25, 4, 0.25)}</div>
      <div class="cube-columns"><div><canvas width="${2 * SIDE}" height="${2 * SIDE}" tabindex="0" role="img"></canvas>
      <p>Each cell is a point of the cube; cells side by side differ in one bit. A colour is the region of one neuron, and is stronger where several are active.</p></div>
      <div class="cube-numbers"><p><b>AS(h) = <span data-further="AS"></span></b><br><span data-further="bound"></span></p>
      <div class="cube-meter" aria-hidden="true"><i></i></div>
      <p>Fourier weight by degree</p><div class="further-bars" aria-hidden="true"></div><p class="visually-hidden" data-further="spectrum"></p>
      <p class="cube-here" role="status" data-further="here"></p>
      <p class="cube-row"><button type="button" class="another">Another random network</button></p></div></div>`;
    box.append(details);
    const part = (name) => details.querySelector(`[data-further="${name}"]`), canvas = details.querySelector("canvas");
    const pen = canvas.getContext("2d"), buttons = [...details.querySelector(".cube-row").children], another = details.querySelector(".another");
    const sliders = [...details.querySelectorAll("input")];
    let setting = { family: names[0], n: 8, k: 2, W: 1, seed: 1 }, found, at = [0, 0], timer;

    const draw = () => {
      const [columns, rows] = shape(setting.n), width = canvas.width / columns, height = canvas.height / rows;
      pen.clearRect(0, 0, canvas.width, canvas.height);
      for (const row of range(rows)) {
        for (const column of range(columns)) {
          const active = found.active[cell(setting.n, column, row)];
          pen.globalAlpha = 0.12;
          pen.fillStyle = "#808080";
          if (active.length) {
            pen.globalAlpha = min(1, 0.55 + 0.15 * (active.length - 1));
            pen.fillStyle = colour(active[0]);
          }
          pen.fillRect(column * width + 1, row * height + 1, width - 2, height - 2);
        }
      }
      const x = cell(setting.n, ...at);
      pen.globalAlpha = 1;
      for (const row of range(rows)) { // the chosen point and its neighbours
        for (const column of range(columns)) {
          const apart = bits(x ^ cell(setting.n, column, row));
          if (apart > 1) continue;
          pen.lineWidth = apart ? 3 : 7;
          pen.strokeStyle = getComputedStyle(canvas).color;
          pen.strokeRect(column * width + 3, row * height + 3, width - 6, height - 6);
        }
      }
    };
    const tell = () => {
      const { n } = setting, x = cell(n, ...at), active = found.active[x];
      const flips = range(n).map((j) => show(found.h[x ^ (1 << j)] - found.h[x]));
      const lit = active.length ? `neuron${active.length > 1 ? "s" : ""} ${active.map((j) => j + 1).join(", ")}` : "no neuron";
      part("here").textContent = `At x = (${range(n).map((j) => show(sign(x, j))).join(", ")}): h = ${show(found.h[x])}; active: ${lit}. The ${n} flips change h by ${flips.join(", ")}.`;
    };
    const update = () => {
      found = evaluate(network(setting));
      const { AS, bound, k, W, weights } = found, top = max(...weights) || 1, [columns, rows] = shape(setting.n);
      at = [min(at[0], columns - 1), min(at[1], rows - 1)];
      part("AS").textContent = show(AS);
      part("bound").innerHTML = `at most 4<i>k</i>²<i>W</i>² = ${show(bound)}, with <i>k</i> = ${k}, <i>W</i> = ${show(W)}: `
        + `${AS > bound * (1 - 1e-6) ? "<b>attained</b>" : `${show((100 * AS) / bound)} % of it`}`;
      details.querySelector(".cube-meter i").style.width = `${(100 * AS) / bound}%`;
      details.querySelector(".further-bars").innerHTML = weights.map((weight, d) => `<span><i style="height: ${(100 * weight) / top}%"></i>${d}</span>`).join("");
      part("spectrum").textContent = weights.map((weight, d) => `degree ${d}: ${show(weight)}`).join(", ");
      canvas.setAttribute("aria-label", `The ${1 << setting.n} points of the cube and the regions of the neurons; the arrow keys move the chosen point. AS = ${show(AS)}, at most ${show(bound)}`);
      sliders.forEach((one) => {
        one.value = setting[one.dataset.key];
        one.parentElement.querySelector("output").textContent = show(setting[one.dataset.key]);
      });
      const sparse = setting.family !== "Random, dense";
      sliders[1].disabled = !sparse; // the number of active neurons is then what it is
      another.hidden = !setting.family.startsWith("Random");
      buttons.forEach((button) => button.setAttribute("aria-pressed", button.textContent === setting.family));
      draw();
      tell();
    };
    const set = (next) => {
      setting = { ...setting, ...next };
      update();
      clearTimeout(timer);
      timer = setTimeout(() => history.replaceState(null, "", write(setting)), 250); // one address for a movement
    };
    const choose = (column, row) => {
      const [columns, rows] = shape(setting.n);
      at = [(column + columns) % columns, (row + rows) % rows]; // the code is cyclic, as the cube is
      draw();
      tell();
    };
    details.addEventListener("input", ({ target }) => set({ [target.dataset.key]: Number(target.value) }));
    details.addEventListener("click", ({ target }) => {
      if (target === another) set({ seed: (setting.seed % 999) + 1 });
      else if (buttons.includes(target)) set({ family: target.textContent });
    });
    canvas.addEventListener("click", ({ offsetX, offsetY }) => {
      const [columns, rows] = shape(setting.n), { width, height } = canvas.getBoundingClientRect();
      choose(min(floor((offsetX / width) * columns), columns - 1), min(floor((offsetY / height) * rows), rows - 1));
    });
    canvas.addEventListener("keydown", (event) => {
      const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!way) return;
      event.preventDefault();
      choose(at[0] + way[0], at[1] + way[1]);
    });
    details.addEventListener("toggle", () => details.open && update());
    new MutationObserver(() => details.open && draw()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const follow = () => {
      const asked = read(location.hash);
      if (!asked) return;
      setting = asked;
      details.open = true;
      update();
      details.scrollIntoView();
    };
    addEventListener("hashchange", follow);
    follow();
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();

  return { evaluate, families, network, read, write };
})();
