// Figures that are computed while a hand moves them. The page holds each as it was drawn in the run (Live in
// sparse_book/figures.py). Where scripts run, a drawing by one of the `kinds` takes its place, with words,
// controls and, as #fig-name=value,value, its address. `given` are the numbers that the run gave with it.
//
// A kind has `fields`, each with a name, its stops and perhaps how one is written: a slider, or a box to
// tick where there are two stops; perhaps `choices`, `chosen` (what a choice sets besides), `steps` (buttons)
// and `kept` (what the address holds besides, with what it may be); `idle`, the controls that a setting does
// not use; `draw` and `words` of a setting; `pick`, what a finger on the drawing sets, `taps` where each
// touch counts once, and `hovers` where none is needed. More kinds are in pictures.js.
const live = (() => {
  const { abs, ceil, floor, log10, max, min, round } = Math;
  const { basis_size, ours, paper, show } = sparse;
  const STEPS = 120; // points of a curve
  const REST = 250; // milliseconds after which words are said and the address is written, once for a movement
  const LEFT = 62, TOP = 14, BOTTOM = 46; // pixels around the axes, for tick labels and names
  const HEAD = 30; // pixels above logarithmic axes, where the cursor says what it is at
  const LINE = 16, NAME = 23; // pixels from one line of text to the next, and to another name
  const WIDE = 480; // pixels from which the names of curves and points need not be short
  const INK = "var(--pst-color-text-base)";
  const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const DIGITS = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8];
  const decades = (from, to) => range(from, to).flatMap((e) => DIGITS.map((digit) => round(digit * 10 ** e)));
  const spaced = (from, to, count) => range(0, count - 1).map((i) => from * (to / from) ** (i / (count - 1)));
  const power = (e) => `10${sparse.raised(e)}`;
  const rounded = (value) => show(Number(value.toPrecision(3)));
  const tied = (words) => words.replace(/ (?=[=%])|(?<==|Lemma) /g, "\u00a0"); // no line breaks there
  const variable = (name) => `<tspan class="variable">${name}</tspan>`;
  const tall = (width) => min(340, max(300, 0.52 * width));

  // --- Drawings: strings of SVG, in pixels ---

  const pixels = (values) => values.map((value) => value.toFixed(1)).join(" ");
  const START = 'text-anchor="start"', MIDDLE = 'text-anchor="middle"', END = 'text-anchor="end"';
  const text = (x, y, words, more = "") =>
    `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${words}</text>`;
  const line = (x1, y1, x2, y2, kind) =>
    `<path class="${kind}" d="M${pixels([x1, y1])}L${pixels([x2, y2])}"/>`;
  const box = (x, y, width, height, more) => `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}"
    width="${max(0, width).toFixed(1)}" height="${max(0, height).toFixed(1)}" ${more}/>`;
  const curve = (points, colour, kind = "") =>
    `<path class="curve ${kind}" stroke="${colour}" d="M${points.map(pixels).join("L")}"/>`;
  const dot = (x, y, r, more) => `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${r}" ${more}/>`;
  const each = (list, made) => list.map(made).join("");

  const powers = (low, high, most) => { // the exponents of the ticks, at most about so many
    const every = range(ceil(log10(low) - 1e-9), floor(log10(high) + 1e-9)), step = ceil(every.length / most);
    return every.filter((e) => e % step === 0);
  };
  // Axes with logarithmic scales, and where a point lies. Within them are curves, and no words: a curve or
  // the cursor comes everywhere
  const loglog = (width, right, x, y, names) => {
    const height = tall(width), end = width - right, foot = height - BOTTOM, middle = (HEAD + foot) / 2;
    const X = (value) => LEFT + ((end - LEFT) * log10(value / x[0])) / log10(x[1] / x[0]);
    const inside = (value) => min(max(value, y[0]), y[1]);
    const Y = (value) => foot - ((foot - HEAD) * log10(inside(value) / y[0])) / log10(y[1] / y[0]);
    const below = (e) =>
      line(X(10 ** e), HEAD, X(10 ** e), foot, "grid") + text(X(10 ** e), foot + 17, power(e), MIDDLE);
    const beside = (e) =>
      line(LEFT, Y(10 ** e), end, Y(10 ** e), "grid") + text(LEFT - 6, Y(10 ** e) + 4, power(e), END);
    const axes = line(LEFT, HEAD, LEFT, foot, "axis") + line(LEFT, foot, end, foot, "axis")
      + each(powers(...x, 7), below) + each(powers(...y, 7), beside)
      + text((LEFT + end) / 2, height - 8, names[0], MIDDLE)
      + text(16, middle, names[1], `${MIDDLE} transform="rotate(-90 16 ${middle})"`);
    const named = (curves) => { // right of them, [height, words, colour], further apart than their lines
      const lines = [...curves].sort(([a], [b]) => a - b).flatMap(([first, words, colour]) =>
        words.split("|").map((part, i) => [first + LINE * i, part, colour, i ? LINE : NAME]));
      const at = lines.map(([wanted]) => max(wanted, HEAD));
      for (let i = 1; i < at.length; i++) at[i] = max(at[i], at[i - 1] + lines[i][3]);
      at[at.length - 1] = min(at.at(-1), foot);
      for (let i = at.length - 2; i >= 0; i--) at[i] = min(at[i], at[i + 1] - lines[i + 1][3]);
      return each(lines, ([, part, colour], i) =>
        text(end + 8, at[i] + 4, part, `class="name" fill="${colour}"`));
    };
    const cursor = (at, words, to) => { // from its words down
      const place = at > (LEFT + end) / 2 ? END : START;
      return line(at, HEAD - 6, at, to, "cursor")
        + text(at + (place === END ? 4 : -4), HEAD - 11, words, place);
    };
    const value = (at) => x[0] * (x[1] / x[0]) ** ((at - LEFT) / (end - LEFT));
    return { X, Y, end, foot, axes, named, cursor, value };
  };

  // --- Bounds on the average sensitivity against n ---

  const bounds = {
    fields: {
      k: ["k, active at once", range(1, 8)],
      n: ["n, inputs", [3, 4, 5, 6, 8, ...decades(1, 5), 1e6]],
    },
    start: { k: 2, n: 1000 },
    span: [3, 1e6], // of n
    all({ k }, { s, bias }, n) { // W = 1; the rate of Lemma 9 meets ours at the least n and k = 1
      const rate = (inputs, most) => paper.lemma_9(inputs, s, most, 1, bias, "printed");
      const AS = (most) => ours.average_sensitivity(1, most, s);
      return { ours: AS(k), printed: (rate(n, k) * AS(1)) / rate(bounds.span[0], 1), dense: s ** 2,
        repaired: paper.lemma_9(n, s, k, 1, bias, "repaired") };
    },
    plane: (width) => // least so far below our bound that its square has a name
      loglog(width, width < WIDE ? 76 : 110, bounds.span, [0.1, 1e9], [variable("n"), "bound on AS(h)"]),
    draw(setting, given, width) {
      const { X, Y, end, axes, named, cursor } = bounds.plane(width), [blue, , green, purple] = given.colours;
      const { n } = setting, here = bounds.all(setting, given, n), [fewest, most] = bounds.span;
      const wide = width >= WIDE;
      const along = (form) =>
        spaced(fewest, most, STEPS).map((at) => [X(at), Y(bounds.all(setting, given, at)[form])]);
      const curves = { ours: along("ours"), printed: along("printed"), repaired: along("repaired") };
      const words = { ours: wide ? "ours, 4k²W²" : "ours", printed: "Lemma 9", repaired: "repaired" };
      const colour = (form) => (form === "ours" ? green : purple);
      const names = Object.keys(words).map((form) => [curves[form].at(-1)[1], words[form], colour(form)]);
      return axes + line(LEFT, Y(here.dense), end, Y(here.dense), "axis")
        + box(LEFT, HEAD, end - LEFT, Y(here.dense) - HEAD, 'class="shade"')
        + curve(curves.repaired, purple, "dotted") + curve(curves.printed, purple, "dashed")
        + curve(curves.ours, green)
        + cursor(X(n), `${variable("n")} = ${show(n)}: × ${rounded(here.printed / here.ours)}`, Y(here.ours))
        + line(X(n), Y(here.ours), X(n), Y(here.printed), "gap")
        + each(Object.keys(words), (form) => dot(X(n), Y(here[form]), 4.5, `fill="${colour(form)}"`))
        + box(X(fewest) - 5, Y(here.ours) - 5, 10, 10, `fill="${blue}"`)
        // no curve is below
        + text(X(fewest) + 2, Y(here.ours) + 20, "attained", `fill="${blue}" class="name"`)
        + named([...names, [Y(here.dense), wide ? "dense, s²W²" : "dense", INK]]);
    },
    words(setting, given) {
      const { k, n } = setting, at = bounds.all(setting, given, n);
      return `k = ${k}: ours ${show(at.ours)} for every n. At n = ${show(n)} Lemma 9, which meets ours `
        + `at n = 3 and k = 1, is ${rounded(at.printed / at.ours)} times as large, its proof, repaired, `
        + `${rounded(at.repaired / at.ours)} times. Dense networks have at most ${show(at.dense)}.`;
    },
    pick(setting, given, width, x) {
      const at = bounds.plane(width).value(x), distance = (n) => abs(log10(n / at));
      return { n: bounds.fields.n[1].reduce((best, n) => (distance(n) < distance(best) ? n : best)) };
    },
  };

  // --- The risk of low-degree learning against m ---

  const risk = {
    fields: { d: ["d, degree", range(1, 16)] },
    choices: (given) => ["target", given.targets.map(({ name }) => name)],
    start: { target: 0, d: 3 },
    span: [10, 3e6], // of m: all D, from 17 on, lie within
    most: 60, // of the risk that is drawn: a curve begins where it comes below
    draw({ target, d }, { targets, colours: [blue], floor: least }, width) {
      const { weights, measured } = targets[target], D = basis_size(weights.length - 1, d);
      const above = max(least, sparse.cut(weights, d)[1]), [fewest, most] = risk.span;
      const { X, Y, end, foot, axes, named, cursor } = loglog(width, 88, risk.span,
        [0.7 * least, risk.most], [`${variable("m")}, samples`, "risk"]);
      const along = (of, from) => spaced(max(fewest, from), most, STEPS).map((m) => [m, of(weights, d, m)])
        .filter(([, value]) => value <= risk.most).map(([m, value]) => [X(m), Y(max(least, value))]);
      const averaging = along(sparse.averaging_risk, 0);
      const squares = along(sparse.least_squares_risk, 1.04 * D + 2);
      const means = ({ method, m, mean }) => { // both are polynomials, of one colour in the whole book
        const fill = method === "averaging" ? "var(--pst-color-background)" : blue;
        return each(m, (at, i) => dot(X(at), Y(max(least, mean[i])), 3, `fill="${fill}" stroke="${blue}"`));
      };
      return axes + line(LEFT, Y(above), end, Y(above), "axis")
        + box(LEFT, Y(above), end - LEFT, foot - Y(above), 'class="shade"')
        + cursor(X(D), `${variable("D")} = ${show(D)}`, foot)
        + curve(averaging, blue, "dashed") + curve(squares, blue)
        + each(measured.filter((series) => series.d === d), means)
        + named([[averaging.at(-1)[1], "averaging|(dashed)", blue],
          [squares.at(-1)[1], "least|squares", blue], [Y(above), `weight|above ${variable("d")}`, INK]]);
    },
    words({ target, d }, { targets }) {
      const { name, weights } = targets[target], above = sparse.cut(weights, d)[1];
      const D = basis_size(weights.length - 1, d);
      return `${name}, d = ${d}: D = ${show(D)} coefficients; weight above d: `
        + `${above < 1e-12 ? "0" : show(above)}. Averaging is dashed, its measured means are hollow.`;
    },
  };

  // --- The map of moduli, and the labels of one pair ---

  const gcd = (a, b) => (b ? gcd(b, a % b) : a);
  const hatch = (colour) => `<defs>
    <pattern id="live-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <path d="M0 0V6" stroke="${colour}" stroke-width="2"/></pattern></defs>`;
  const labels = {
    fields: { p: ["p, modulus of the label", range(2, 24)], q: ["q, modulus of the secret", range(2, 24)] },
    start: { p: 3, q: 8 },
    width: 520, // at most, so that the map and its table are in sight together
    side: (width, { share }) => (width - LEFT - 8) / share.length,
    height: (width, given) => TOP + labels.side(width, given) * given.share.length + BOTTOM,
    draw({ p, q }, given, width) {
      const { share, colours } = given, count = share.length, side = labels.side(width, given);
      const extent = side * count, foot = TOP + extent;
      const corner = (p2, q2) => [LEFT + (q2 - 2) * side, foot - (p2 - 1) * side];
      const cell = (value, i, j) => { // of p = i + 2 and q = j + 2; for p >= q the label is t itself
        const fill = i >= j ? 'fill="url(#live-hatch)"' : `fill="${colours[0]}" fill-opacity="${value}"`;
        return box(...corner(i + 2, j + 2), side - 1, side - 1, fill);
      };
      const [x, y] = corner(p, q), ticks = range(2, count + 1).filter((v) => v % 4 === 0);
      return hatch(colours[0]) + each(share, (row, i) => each(row, (value, j) => cell(value, i, j)))
        + text(LEFT + 5 * side, TOP + 5 * side, "p ≥ q: all predicted", 'class="told plate"')
        + box(x - 1, y - 1, side + 1, side + 1, 'class="chosen"')
        + each(ticks, (v) => text(LEFT + (v - 1.5) * side, foot + 17, v, MIDDLE)
          + text(LEFT - 8, foot - (v - 1.5) * side + 4, v, END))
        + each(range(0, 4), (i) =>
          box(LEFT + 14 + 18 * i, foot + 27, 16, 11,
            `fill="${colours[0]}" fill-opacity="${i / 4}" class="outline"`))
        + text(LEFT, foot + 37, "0") + text(LEFT + 110, foot + 37, "1 of the labels")
        + text(LEFT + extent, foot + 37, "q", `class="variable" ${END}`)
        + text(LEFT - 40, TOP + extent / 2, "p", 'class="variable"');
    },
    why(p, q) {
      const g = gcd(p, q);
      if (p >= q) return "the label is t mod q itself";
      if (g === p) return `p divides q, so the label is t mod ${p}, a linear function of the secret`;
      if (g === 1) return "coprime moduli: the problem is rounding, after a change of names";
      return `a common factor ${g}, below p: the label gives t mod ${g} away`;
    },
    words({ p, q }, { share }) {
      const percent = show(100 * share[p - 2][q - 2]);
      return `p = ${p}, q = ${q}: linear algebra predicts ${percent} % of fresh labels; ${labels.why(p, q)}.`;
    },
    table({ p, q }) {
      const row = (name, values) =>
        `<tr><th scope="row">${name}</th>${each(values, (v) => `<td>${v}</td>`)}</tr>`;
      const { printed, lwr } = sparse.lwr_label;
      const head = each(range(0, q - 1), (t) => `<th scope="col">${t}</th>`);
      return `<table class="table"><caption>Labels for p = ${p}, q = ${q}</caption>
        <thead><tr><th scope="col">t mod q</th>${head}</tr></thead>
        <tbody>${row("Definition 15", printed(p, q))}${row("rounding", lwr(p, q))}</tbody></table>`;
    },
    pick(setting, given, width, x, y) {
      const side = labels.side(width, given), count = given.share.length;
      const q = floor((x - LEFT) / side) + 2, p = floor((TOP + side * count - y) / side) + 2;
      return p >= 2 && p <= count + 1 && q >= 2 && q <= count + 1 ? { p, q } : {};
    },
  };

  const kinds = { bounds, risk, labels };

  // --- The page ---

  const controls = (figure, choice, options, { fields, steps = {} }) => {
    const radio = (name, i) => `<label><input type="radio" name="${figure}" value="${i}" autocomplete="off">
      ${name}</label>`;
    const tick = ([key, [name]]) =>
      `<label><input type="checkbox" data-key="${key}" autocomplete="off"> ${name}</label>`;
    const button = (name) => `<button type="button">${name}</button>`;
    const slider = ([key, [name, stops]]) => `<label><span>${name.replace(/^\w(?=,)/, "<i>$&</i>")}:
      <b></b></span><input type="range" data-key="${key}" min="0"
      max="${stops.length - 1}" step="1" autocomplete="off"></label>`;
    const choices = choice ? `<fieldset><legend>${choice}</legend>${each(options, radio)}</fieldset>` : "";
    const [ticks, sliders] = [true, false].map((two) =>
      Object.entries(fields).filter(([, [, stops]]) => (stops.length === 2) === two));
    const ticked = ticks.length ? `<fieldset>${each(ticks, tick)}</fieldset>` : "";
    return `${choices}${ticked}<div class="further-sliders">${each(sliders, slider)}</div>
      <div class="live-steps">${each(Object.keys(steps), button)}</div><svg role="img"></svg>
      <p class="slider-words"></p><p class="visually-hidden" role="status"></p>`;
  };
  const TABLE = '<div class="live-table" tabindex="0" role="region" aria-label="Numbers"></div>';
  const begin = (host) => {
    const kind = kinds[host.dataset.live], given = JSON.parse(host.dataset.given);
    const figure = host.closest("figure"), [choice, options] = kind.choices?.(given) ?? [];
    const { fields, kept = {}, steps = {} } = kind;
    const keys = [...(choice ? [choice] : []), ...Object.keys(fields), ...Object.keys(kept)];
    const values = (key) => (key === choice ? range(0, options.length - 1) : fields[key][1]);
    const allowed = (key, value) => kept[key]?.(value) ?? values(key).includes(value);
    let setting = given.start ?? kind.start, timer, silence;

    const part = document.createElement("div");
    part.className = "live-part";
    part.innerHTML = controls(figure.id, choice, options, kind) + (kind.table ? TABLE : "");
    host.append(part);
    host.classList.add("moves");
    const find = (selector) => part.querySelector(selector), inputs = [...part.querySelectorAll("input")];
    const svg = find("svg"), words = find(".slider-words"), said = find("[role=status]");
    const [sliders, radios, ticks] =
      ["range", "radio", "checkbox"].map((type) => inputs.filter((input) => input.type === type));

    const draw = () => {
      const width = min(part.clientWidth || 655, kind.width ?? 736);
      svg.setAttribute("viewBox", `0 0 ${width} ${kind.height?.(width, given) ?? tall(width)}`);
      svg.style.width = `${width}px`;
      svg.innerHTML = kind.draw(setting, given, width);
    };
    const update = () => {
      for (const input of sliders) {
        const { key } = input.dataset, value = setting[key];
        input.value = values(key).indexOf(value);
        const shown = (fields[key][2] ?? show)(value);
        input.setAttribute("aria-valuetext", shown);
        input.parentElement.querySelector("b").textContent = shown;
      }
      radios.forEach((radio, i) => { radio.checked = i === setting[choice]; });
      for (const input of [...sliders, ...ticks])
        input.parentElement.hidden = kind.idle?.(setting).includes(input.dataset.key) ?? false;
      ticks.forEach((input) => {
        input.checked = setting[input.dataset.key] === values(input.dataset.key)[1];
      });
      words.textContent = tied(kind.words(setting, given));
      svg.setAttribute("aria-label", words.textContent);
      if (kind.table) find(".live-table").innerHTML = kind.table(setting, given);
      draw();
    };
    const set = (next) => {
      setting = { ...setting, ...next };
      update();
      clearTimeout(timer);
      clearTimeout(silence);
      timer = setTimeout(() => {
        said.textContent = words.textContent;
        silence = setTimeout(() => { said.textContent = ""; }, 5000); // else it would be read twice
        history.replaceState(null, "", `#${figure.id}=${keys.map((key) => setting[key]).join()}`);
      }, REST);
    };
    const follow = () => { // the setting that the address asks for, if the page could have written it
      const asked = new URLSearchParams(location.hash.slice(1)).get(figure.id)?.split(",") ?? [];
      const numbers = asked.map((value) => (value ? Number(value) : NaN));
      if (numbers.length !== keys.length || !keys.every((key, i) => allowed(key, numbers[i]))) return;
      setting = Object.fromEntries(keys.map((key, i) => [key, numbers[i]]));
      for (let at = figure; at; at = at.parentElement) if (at.localName === "details") at.open = true;
      update();
      figure.scrollIntoView();
    };
    const point = ({ clientX, clientY }) => {
      const { left, top, width } = svg.getBoundingClientRect(), whole = svg.viewBox.baseVal.width;
      const [x, y] = [clientX - left, clientY - top].map((distance) => (distance / width) * whole);
      set(kind.pick(setting, given, whole, x, y));
    };
    part.addEventListener("input", ({ target }) => {
      const { key } = target.dataset;
      const chosen = Number(target.value);
      if (target.type === "radio") set({ [choice]: chosen, ...kind.chosen?.(chosen, given) });
      else set({ [key]: values(key)[target.type === "checkbox" ? Number(target.checked) : target.value] });
    });
    part.addEventListener("click", ({ target }) => {
      if (target.localName === "button") set(steps[target.textContent](setting, given));
    });
    if (kind.pick) {
      svg.classList.add("picks");
      svg.addEventListener("pointerdown", (event) => {
        svg.setPointerCapture(event.pointerId);
        point(event);
      });
      if (!kind.taps) svg.addEventListener("pointermove", (event) => {
        if (event.buttons || kind.hovers) point(event);
      });
    }
    new ResizeObserver(draw).observe(part);
    addEventListener("hashchange", follow);
    update();
    follow();
  };
  for (const event of ["DOMContentLoaded", "outputs"])
    addEventListener(event, ({ target }) => target.querySelectorAll(".cc.live").forEach(begin));

  return { kinds, bounds, INK, range, rounded, variable, text, line, box, curve, dot, each,
    MIDDLE, END, WIDE };
})();
