// Figures that are computed while a hand moves them. The page holds each as it was drawn in the run
// (sparse_book/figures.py, Live); where scripts run, a drawing by one of the `kinds` takes its place, with its controls,
// its words and, as #fig-name=value,value, its address. `given` are the numbers that the run gave with it.
const live = (() => {
  const { abs, ceil, floor, log10, max, min, round } = Math;
  const STEPS = 120; // points of a curve
  const REST = 250; // milliseconds after which the words are said and the address is written, once for a movement
  const LEFT = 62, TOP = 14, BOTTOM = 46; // pixels around the axes, for tick labels and names
  const LINE = 16; // pixels from one line of text to the next
  const ROW = 52; // pixels of a step of a route: its name, its bar, the dots of the others
  const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const decades = (from, to) => range(from, to).flatMap((e) => [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8].map((digit) => round(digit * 10 ** e)));
  const spaced = (from, to, count) => range(0, count - 1).map((i) => from * (to / from) ** (i / (count - 1)));
  const power = (e) => `10${calculator.raised(e)}`;
  const show = (value) => calculator.show(value);
  const rounded = (value) => show(Number(value.toPrecision(3)));
  const tied = (words) => words.replace(/ (?=[=%])|(?<==|Lemma) /g, "\u00a0"); // no line breaks there
  const variable = (name) => `<tspan class="variable">${name}</tspan>`;
  const WIDE = 480; // pixels from which the names of the curves have room beside the axes
  const tall = (width) => min(340, max(300, 0.52 * width));

  // --- Drawings: strings of SVG, in pixels ---

  const text = (x, y, words, more = "") => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${words}</text>`;
  const line = (x1, y1, x2, y2, kind) => `<path class="${kind}" d="M${x1.toFixed(1)} ${y1.toFixed(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}"/>`;
  const box = (x, y, width, height, more) => `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${max(0, width).toFixed(1)}" height="${max(0, height).toFixed(1)}" ${more}/>`;
  const curve = (points, colour, kind = "") => `<path class="curve ${kind}" stroke="${colour}" d="M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}"/>`;

  const loglog = ({ width, height, right, x, y, names }) => { // axes with logarithmic scales, and where a point lies
    const end = width - right, foot = height - BOTTOM;
    const X = (value) => LEFT + ((end - LEFT) * log10(value / x[0])) / log10(x[1] / x[0]);
    const Y = (value) => foot - ((foot - TOP) * log10(min(max(value, y[0]), y[1]) / y[0])) / log10(y[1] / y[0]);
    const ticks = (low, high) => { // at most seven, at powers of ten
      const every = range(ceil(log10(low) - 1e-9), floor(log10(high) + 1e-9)), step = ceil(every.length / 7);
      return every.filter((e) => e % step === 0);
    };
    const axes = line(LEFT, TOP, LEFT, foot, "axis") + line(LEFT, foot, end, foot, "axis")
      + ticks(...x).map((e) => line(X(10 ** e), TOP, X(10 ** e), foot, "grid") + text(X(10 ** e), foot + 17, power(e), 'text-anchor="middle"')).join("")
      + ticks(...y).map((e) => line(LEFT, Y(10 ** e), end, Y(10 ** e), "grid") + text(LEFT - 6, Y(10 ** e) + 4, power(e), 'text-anchor="end"')).join("")
      + text((LEFT + end) / 2, height - 8, names[0], 'text-anchor="middle"')
      + text(16, (TOP + foot) / 2, names[1], `text-anchor="middle" transform="rotate(-90 16 ${(TOP + foot) / 2})"`);
    return { X, Y, end, foot, axes, value: (at) => x[0] * (x[1] / x[0]) ** ((at - LEFT) / (end - LEFT)) };
  };
  const named = (names, x, least, most) => { // names of curves, [height, words, colour], at least a line of text apart
    const sorted = [...names].sort((one, other) => one[0] - other[0]), at = sorted.map(([y]) => max(y, least));
    for (let i = 1; i < at.length; i++) at[i] = max(at[i], at[i - 1] + LINE);
    for (let i = at.length - 1, lowest = most; i >= 0; i--, lowest = at[i + 1] - LINE) at[i] = min(at[i], lowest);
    return sorted.map(([, words, colour], i) => text(x, at[i] + 4, words, `class="name" fill="${colour}"`)).join("");
  };

  // --- Bounds on the average sensitivity against n ---

  const bounds = {
    fields: { k: ["k, active at once", range(1, 8)], W: ["W, scale of weights", [0.25, 0.5, 1, 2, 4]], n: ["n, inputs", [3, 4, 5, 6, 8, ...decades(1, 5), 1e6]] },
    start: { k: 2, W: 1, n: 1000 },
    span: [3, 1e6], // of n
    all({ k, W }, { s, bias }, n) {
      const form = (name) => calculator.paper.lemma_9(n, s, k, W, bias * W, name);
      return { ours: calculator.ours.average_sensitivity(W, k, s), printed: form("printed"), repaired: form("repaired"), dense: (s * W) ** 2 };
    },
    last(setting, given, form) { // the largest n at which this form is below the dense bound; 0 if there is none
      const below = (n) => { const found = bounds.all(setting, given, n); return found[form] < found.dense; };
      let [low, high] = bounds.span;
      if (!below(low)) return 0;
      if (below(high)) return high;
      while (high - low > 1) {
        const middle = floor((low + high) / 2);
        if (below(middle)) low = middle;
        else high = middle;
      }
      return low;
    },
    plane: (width) => loglog({ width, height: tall(width), right: width < WIDE ? 16 : 104, x: bounds.span, y: [0.01, 1e11], names: [variable("n"), "bound on AS(h)"] }),
    draw(setting, given, width) {
      const { X, Y, end, foot, axes } = bounds.plane(width), [blue, , green, purple] = given.colours, { n } = setting;
      const here = bounds.all(setting, given, n), [fewest, most] = bounds.span, first = bounds.all(setting, given, fewest), wide = width >= WIDE;
      const along = (form) => spaced(fewest, most, STEPS).map((at) => [X(at), Y(bounds.all(setting, given, at)[form])]);
      const curves = { ours: along("ours"), printed: along("printed"), repaired: along("repaired") };
      const words = { ours: [wide ? "ours, 4k²W²" : "ours", green], printed: ["Lemma 9", purple], repaired: ["repaired", purple] };
      const names = Object.entries(words).map(([form, [name, colour]]) => [curves[form].at(-1)[1], name, colour]);
      const inside = names.map(([y, ...rest], i) => [y + [-11, 27, -11][i], ...rest]); // on a phone: above or below the ends of the curves
      const middle = (Y(here.ours) + Y(here.printed)) / 2, left = X(n) > (LEFT + end) / 2;
      return box(LEFT, TOP, end - LEFT, Y(here.dense) - TOP, 'class="shade"') + axes + line(LEFT, Y(here.dense), end, Y(here.dense), "axis")
        + text(LEFT + 8, TOP + 16, `vacuous: above the dense ${variable("s")}²${variable("W")}²`)
        + curve(curves.repaired, purple, "dotted") + curve(curves.printed, purple, "dashed") + curve(curves.ours, green)
        + line(X(n), TOP, X(n), foot, "cursor") + line(X(n), Y(here.ours), X(n), Y(here.printed), "gap")
        + ["ours", "printed", "repaired"].map((form) => `<circle cx="${X(n)}" cy="${Y(here[form])}" r="4.5" fill="${words[form][1]}"/>`).join("")
        + text(X(n) + (left ? -8 : 8), middle + 4, `× ${rounded(here.printed / here.ours)}`, `class="told" text-anchor="${left ? "end" : "start"}"`)
        + box(X(fewest) - 5, Y(first.ours) - 5, 10, 10, `fill="${blue}"`) + text(X(fewest) + 9, Y(first.ours) + 18, "attained", `fill="${blue}" class="name"`)
        + (wide ? named(names, end + 8, TOP + 6, foot) : named(inside, end - 74, TOP + 30, foot - 10));
    },
    words(setting, given) {
      const { ours, printed, repaired, dense } = bounds.all(setting, given, setting.n), limit = (form) => {
        const last = bounds.last(setting, given, form);
        return last === 0 ? "for no n" : last === bounds.span[1] ? "for every n shown" : `up to n = ${show(last)}`;
      };
      return `k = ${setting.k}, W = ${setting.W}: ours ${show(ours)} for every n. At n = ${show(setting.n)} Lemma 9 with constant 1 gives ${show(printed)}, ${rounded(printed / ours)} times as much, and its proof, repaired, ${show(repaired)}. `
        + `Below the dense ${show(dense)}: Lemma 9 ${limit("printed")}, repaired ${limit("repaired")}.`;
    },
    pick(setting, given, width, x) {
      const at = bounds.plane(width).value(x);
      return { n: bounds.fields.n[1].reduce((best, n) => (abs(log10(n / at)) < abs(log10(best / at)) ? n : best)) };
    },
  };

  // --- The route of a proof, step by step, for one network among others ---

  const route = {
    fields: {},
    choices: ({ names }) => ["network", names],
    height: (width, { stages }) => TOP + ROW * stages.length + BOTTOM,
    losses: (values) => values.map((value, i) => (i ? value / values[i - 1] : 1)),
    draw({ network }, { stages, values, unit, colours }, width) {
      const [blue, , green] = colours, every = values.flat(), left = 20, end = width - 70, foot = TOP + ROW * stages.length;
      const low = 10 ** floor(log10(min(...every))), high = 10 ** ceil(log10(max(...every)));
      const X = (value) => left + ((end - left) * log10(value / low)) / log10(high / low), losses = route.losses(values[network]);
      const powers = range(log10(low), log10(high)), step = ceil(powers.length / 8);
      return powers.filter((e) => e % step === 0).map((e) => line(X(10 ** e), TOP, X(10 ** e), foot, "grid") + text(X(10 ** e), foot + 17, power(e), 'text-anchor="middle"')).join("")
        + `<path class="curve" stroke="${green}" d="M${X(1)} ${TOP}V${foot}"/>` + text((left + end) / 2, foot + 38, `in units of ${unit}`, 'text-anchor="middle"')
        + stages.map(([name, why], i) => {
          const y = TOP + ROW * i, value = values[network][i];
          return box(left, y + 22, X(value) - left, 14, `fill="${blue}"`)
            + values.map((others, j) => (j === network ? "" : `<circle class="other" cx="${X(others[i]).toFixed(1)}" cy="${y + 43}" r="3"/>`)).join("")
            + text(left, y + 16, `${name}${why ? `: ${why}` : ""}`, 'class="halo"') + text(X(value) + 6, y + 34, i ? `× ${rounded(losses[i])}` : rounded(value), 'class="told"');
        }).join("");
    },
    words({ network }, { names, stages, values, unit }) {
      const losses = route.losses(values[network]), costly = losses.indexOf(max(...losses));
      return `${names[network]}: AS is ${rounded(values[network][0])} in units of ${unit}, the repaired bound ${rounded(values[network].at(-1))}. The costliest step, ${stages[costly][0]}, loses a factor of ${rounded(losses[costly])}.`;
    },
  };

  // --- The risk of low-degree learning against m ---

  const risk = {
    fields: { d: ["d, degree", range(1, 16)] },
    choices: (given) => ["target", given.targets.map(({ name }) => name)],
    start: { target: 0, d: 3 },
    span: [10, 3e6], // of m: all D, from 17 on, lie within
    most: 60, // of the risk that is drawn: a curve begins where it comes below
    coefficients: (weights, d) => calculator.basis_size(weights.length - 1, d), // D
    sums: (weights, d) => [weights.slice(0, d + 1), weights.slice(d + 1)].map((part) => part.reduce((total, w) => total + w, 0)),
    averaging(weights, d, m) {
      const [below, above] = risk.sums(weights, d);
      return above + (risk.coefficients(weights, d) * (below + above) - below) / m;
    },
    least_squares(weights, d, m) { // not a number unless m > D + 1
      const above = risk.sums(weights, d)[1], D = risk.coefficients(weights, d);
      return m > D + 1 ? above + (above * D) / (m - D - 1) : NaN;
    },
    draw({ target, d }, { targets, colours, floor: least }, width) {
      const wide = width >= WIDE, { weights, measured } = targets[target], D = risk.coefficients(weights, d), above = max(least, risk.sums(weights, d)[1]);
      const { X, Y, end, foot, axes } = loglog({ width, height: tall(width), right: wide ? 112 : 16, x: risk.span, y: [0.7 * least, risk.most], names: [`${variable("m")}, samples`, "risk"] });
      const along = (method, from) => spaced(max(risk.span[0], from), risk.span[1], STEPS).filter((m) => risk[method](weights, d, m) <= risk.most).map((m) => [X(m), Y(max(least, risk[method](weights, d, m)))]);
      const averaging = along("averaging", 0), squares = along("least_squares", 1.04 * D + 2);
      const dots = measured.filter((one) => one.d === d).flatMap(({ method, m, mean }) => m.map((at, i) =>
        `<circle cx="${X(at).toFixed(1)}" cy="${Y(max(least, mean[i])).toFixed(1)}" r="3" fill="${colours[method === "averaging" ? 0 : 1]}"/>`)).join("");
      const names = [[averaging.at(-1)[1], "averaging", colours[0]], [squares.at(-1)[1], "least squares", colours[1]]];
      const inside = names.map(([y, ...rest], i) => [y + [-11, 14][i], ...rest]), late = X(D) > (LEFT + end) / 2;
      return box(LEFT, Y(above), end - LEFT, foot - Y(above), 'class="shade"') + axes + line(LEFT, Y(above), end, Y(above), "axis")
        + text(LEFT + 8, Y(above) + (Y(above) + 20 > foot ? -6 : 17), `weight above ${variable("d")}`)
        + line(X(D), TOP, X(D), foot, "cursor") + text(X(D) + (late ? -6 : 6), TOP + 12, `<tspan class="variable">D</tspan> = ${show(D)}`, `text-anchor="${late ? "end" : "start"}"`)
        + curve(averaging, colours[0]) + curve(squares, colours[1]) + dots
        + (wide ? named(names, end + 8, TOP + 6, foot) : named(inside, end - 92, TOP + 20, foot - 10));
    },
    words({ target, d }, { targets }) {
      const { name, weights, measured } = targets[target], above = risk.sums(weights, d)[1], D = risk.coefficients(weights, d);
      const seen = measured.some((one) => one.d === d) ? "The dots are measured means." : "We did not run the methods at this degree.";
      return `${name}, d = ${d}: D = ${show(D)} coefficients; weight above d: ${above < 1e-12 ? "0" : show(above)}. ${seen}`;
    },
  };

  // --- The map of moduli, and the labels of one pair ---

  const gcd = (a, b) => (b ? gcd(b, a % b) : a);
  const labels = {
    fields: { p: ["p, modulus of the label", range(2, 24)], q: ["q, modulus of the secret", range(2, 24)] },
    start: { p: 3, q: 8 },
    printed: (p, q) => range(0, q - 1).map((t) => t % p),
    nearest: (p, q) => range(0, q - 1).map((t) => floor((2 * p * t + q) / (2 * q)) % p),
    width: 520, // at most, so that the map and its table are in sight together
    side: (width, { share }) => (width - LEFT - 8) / share.length,
    draw({ p, q }, given, width) {
      const { share, colours } = given, count = share.length, side = labels.side(width, given), foot = TOP + side * count;
      const corner = (p_, q_) => [LEFT + (q_ - 2) * side, foot - (p_ - 1) * side];
      const cells = share.flatMap((row, i) => row.map((value, j) => {
        const [x, y] = corner(i + 2, j + 2), equal = i >= j; // p >= q: the label is t itself
        return box(x, y, side - 1, side - 1, `fill="${equal ? "url(#live-hatch)" : colours[0]}" fill-opacity="${equal ? 1 : value}"`);
      })).join("");
      const [x, y] = corner(p, q), ticks = range(2, count + 1).filter((v) => v % 4 === 0);
      return `<defs><pattern id="live-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V6" stroke="${colours[0]}" stroke-opacity="0.4"/></pattern></defs>`
        + cells + text(LEFT + 5 * side, TOP + 5 * side, "p ≥ q: all predicted", 'class="told"') + box(x - 1, y - 1, side + 1, side + 1, 'class="chosen"')
        + ticks.map((v) => text(LEFT + (v - 1.5) * side, foot + 17, v, 'text-anchor="middle"') + text(LEFT - 8, foot - (v - 1.5) * side + 4, v, 'text-anchor="end"')).join("")
        + text(LEFT + (side * count) / 2, foot + 36, "q", 'class="variable" text-anchor="middle"') + text(LEFT - 40, TOP + (side * count) / 2, "p", 'class="variable"');
    },
    height: (width, given) => TOP + labels.side(width, given) * given.share.length + BOTTOM,
    words({ p, q }, { share }) {
      const g = gcd(p, q), found = `linear algebra predicts ${show(100 * share[p - 2][q - 2])} % of fresh labels`;
      const why = p >= q ? "the label is t mod q itself"
        : g === p ? `p divides q, so the label is t mod ${p}, a linear function of the secret`
          : g === 1 ? "coprime moduli: the problem is rounding, after a change of names"
            : `a common factor ${g}, below p: the label gives t mod ${g} away`;
      return `p = ${p}, q = ${q}: ${found}; ${why}.`;
    },
    table({ p, q }) {
      const row = (name, values) => `<tr><th scope="row">${name}</th>${values.map((v) => `<td>${v}</td>`).join("")}</tr>`;
      return `<table class="table"><caption>Labels for p = ${p}, q = ${q}</caption><thead><tr><th scope="col">t mod q</th>${range(0, q - 1).map((t) => `<th scope="col">${t}</th>`).join("")}</tr></thead>`
        + `<tbody>${row("Definition 15", labels.printed(p, q))}${row("rounding", labels.nearest(p, q))}</tbody></table>`;
    },
    pick(setting, given, width, x, y) {
      const side = labels.side(width, given), count = given.share.length;
      const q = floor((x - LEFT) / side) + 2, p = floor((TOP + side * count - y) / side) + 2;
      return p >= 2 && p <= count + 1 && q >= 2 && q <= count + 1 ? { p, q } : {};
    },
  };

  const kinds = { bounds, route, risk, labels };

  // --- The page ---

  const begin = (host) => {
    const kind = kinds[host.dataset.live], given = JSON.parse(host.dataset.given), figure = host.closest("figure");
    const [choice, options] = kind.choices?.(given) ?? [], keys = [...(choice ? [choice] : []), ...Object.keys(kind.fields)];
    const values = (key) => (key === choice ? range(0, options.length - 1) : kind.fields[key][1]);
    let setting = given.start ?? kind.start, timer, silence;

    const part = document.createElement("div");
    part.className = "live-part";
    part.innerHTML = `${choice ? `<fieldset><legend>${choice}</legend>${options.map((name, i) => `<label><input type="radio" name="${figure.id}" value="${i}" autocomplete="off"> ${name}</label>`).join("")}</fieldset>` : ""}
      <div class="further-sliders">${Object.entries(kind.fields).map(([key, [name, stops]]) => `<label><span>${name.replace(/^\w/, "<i>$&</i>")}: <output aria-live="off"></output></span>
      <input type="range" data-key="${key}" min="0" max="${stops.length - 1}" step="1" autocomplete="off"></label>`).join("")}</div>
      <svg role="img"></svg><p class="slider-words"></p><p class="visually-hidden" role="status"></p>${kind.table ? '<div class="live-table" tabindex="0" role="region" aria-label="Labels"></div>' : ""}`;
    host.append(part);
    host.classList.add("moves");
    const svg = part.querySelector("svg"), words = part.querySelector(".slider-words"), said = part.querySelector("[role=status]");
    const sliders = [...part.querySelectorAll("input[type=range]")], radios = [...part.querySelectorAll("input[type=radio]")];

    const draw = () => {
      const width = min(part.clientWidth || 655, kind.width ?? 736), height = kind.height?.(width, given) ?? tall(width);
      svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      svg.style.width = `${width}px`;
      svg.innerHTML = kind.draw(setting, given, width);
    };
    const update = () => {
      for (const input of sliders) {
        const { key } = input.dataset, value = setting[key];
        input.value = values(key).indexOf(value);
        input.setAttribute("aria-valuetext", show(value));
        input.parentElement.querySelector("output").textContent = show(value);
      }
      radios.forEach((radio, i) => { radio.checked = i === setting[choice]; });
      words.textContent = tied(kind.words(setting, given));
      svg.setAttribute("aria-label", words.textContent);
      if (kind.table) part.querySelector(".live-table").innerHTML = kind.table(setting);
      draw();
    };
    const set = (next) => {
      setting = { ...setting, ...next };
      update();
      clearTimeout(timer);
      clearTimeout(silence);
      timer = setTimeout(() => {
        said.textContent = words.textContent;
        silence = setTimeout(() => { said.textContent = ""; }, 5000); // else it would be met twice in reading on
        history.replaceState(null, "", `#${figure.id}=${keys.map((key) => setting[key]).join()}`);
      }, REST);
    };
    const follow = () => { // the setting that the address asks for, if the page could have written it
      const asked = new URLSearchParams(location.hash.slice(1)).get(figure.id)?.split(",").map((value) => (value ? Number(value) : NaN)) ?? [];
      if (asked.length !== keys.length || !keys.every((key, i) => values(key).includes(asked[i]))) return;
      setting = Object.fromEntries(keys.map((key, i) => [key, asked[i]]));
      for (let folded = figure.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
      update();
      figure.scrollIntoView();
    };
    const point = ({ clientX, clientY }) => {
      const { left, top, width } = svg.getBoundingClientRect(), whole = svg.viewBox.baseVal.width;
      set(kind.pick(setting, given, whole, ((clientX - left) / width) * whole, ((clientY - top) / width) * whole));
    };
    part.addEventListener("input", ({ target }) => {
      if (target.type === "radio") set({ [choice]: Number(target.value) });
      else set({ [target.dataset.key]: values(target.dataset.key)[target.value] });
    });
    if (kind.pick) {
      svg.classList.add("picks");
      svg.addEventListener("pointerdown", (event) => { svg.setPointerCapture(event.pointerId); point(event); });
      svg.addEventListener("pointermove", (event) => event.buttons && point(event));
    }
    new ResizeObserver(draw).observe(part);
    addEventListener("hashchange", follow);
    update();
    follow();
  };
  const start = () => document.querySelectorAll(".cc.live").forEach(begin);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();

  return { bounds, route, risk, labels };
})();
