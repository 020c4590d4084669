// One small picture for an idea: kinds of live.js, which moves them, with the numbers of
// sparse_book/pictures.py.
(() => {
  const { abs, floor, hypot, log10, max, round } = Math;
  const { kinds, INK, range, rounded, variable, text, line, box, curve, dot, each, MIDDLE, END, WIDE } = live;
  const { bits, sign } = sparse;
  const stops = range(-20, 20).map((i) => i / 20);
  const nearest = (at) => stops.reduce((best, one) => (abs(one - at) < abs(best - at) ? one : best));
  const signed = (value) => (value > 0 ? "+" : "−");
  const three = (signs) => signs.map(signed).join(" ");
  const named = (colour, more = "") => `class="name" fill="${colour}" ${more}`;
  const ring = (x, y, colour) => dot(x, y, 6, `fill="${colour}"`);
  // A sign or a number on a disc, or on a part of a table: filled if a colour is given
  const written = (x, y, words, colour) =>
    text(x, y + 5, words, `${MIDDLE} class="cell" ${colour ? 'fill="var(--figure-on)"' : ""}`);
  const paper = (colour, rim = colour || INK) =>
    `fill="${colour || "var(--pst-color-background)"}" stroke="${rim}"`;
  const disc = (x, y, words, colour, rim) => dot(x, y, 16, paper(colour, rim)) + written(x, y, words, colour);
  const across = (width, unit = 95) => ({ // from -1 to 1
    X: (value) => 24 + ((value + 1) / 2) * (width - 48), Y: (value) => 210 - unit * value,
    value: (x) => nearest((2 * (x - 24)) / (width - 48) - 1),
  });
  // A ReLU that switches at b
  const bent = ({ X, Y }, b, end = 1 - b) => [[X(-1), Y(0)], [X(b), Y(0)], [X(1), Y(end)]];

  // --- A step and a ReLU along one edge ---

  kinds.edge = {
    fields: { x: ["x, the input", stops], b: ["b, where the neuron switches", stops.slice(4, -4)] },
    start: { x: -0.4, b: 0.5 }, // the ReLU changes by half as much as the step
    height: () => 235,
    value: ({ x, b }) => ({ step: Number(x > b), relu: max(0, x - b) }),
    draw(setting, { colours: [blue, orange] }, width) {
      const { x, b } = setting, { step, relu } = kinds.edge.value(setting);
      const plane = across(width), { X, Y } = plane;
      const left = b > 0.1, at = left ? X(b) - 10 : X(1);
      return line(X(-1), Y(0), X(1), Y(0), "axis") + line(X(b), Y(1.1), X(b), Y(0), "cursor")
        + curve(bent(plane, -1), INK, "dotted") + text(X(0.45), Y(1.6), "stays on: changes by 2", END)
        + curve([[X(-1), Y(0)], [X(b), Y(0)], [X(b), Y(1)], [X(1), Y(1)]], orange)
        + curve(bent(plane, b), blue)
        + text(at, Y(left ? 0.5 : 1.06), "step jumps by 1", named(orange, END))
        + text(left ? at : X(b) + 64, Y(left ? 0.15 : 0.04), "ReLU starts at 0", named(blue, left ? END : ""))
        + line(X(x), Y(max(step, relu)), X(x), Y(0), "cursor") + dot(X(x), Y(0), 5, paper())
        + ring(X(x), Y(step), orange) + ring(X(x), Y(relu), blue)
        + text(X(b), Y(0) + 17, variable("b"), MIDDLE)
        + (abs(x - b) > 0.12 ? text(X(x), Y(0) + 17, variable("x"), MIDDLE) : "");
    },
    words(setting) {
      const { x, b } = setting, { step, relu } = kinds.edge.value(setting);
      return `x = ${rounded(x)}: both are ${x > b ? "on" : "off"}, the step at ${step}, `
        + `the ReLU at ${rounded(relu)}. `
        + `The whole flip changes the step by 1, and the ReLU by ${rounded(1 - b)}; one that stays on, by 2.`;
    },
    pick: (setting, given, width, x) => ({ x: across(width).value(x) }),
  };

  // --- The look-up network: whose address is typed ---

  const BITS = ["x₁", "x₂", "y₁", "y₂", "y₃", "y₄"];
  const input = (i) => [40, 30 + 46 * i + (i > 1 ? 28 : 0)];
  kinds.lookup = {
    fields: Object.fromEntries(BITS.map((name, i) => [`bit${i}`, [name, [-1, 1]]])),
    start: { bit0: 1, bit1: -1, bit2: 1, bit3: -1, bit4: 1, bit5: -1 },
    width: 520,
    taps: true,
    height: () => 330,
    values: (setting, { W, b }) => W.map((w, j) =>
      max(0, w.reduce((sum, weight, i) => sum + weight * setting[`bit${i}`], -b[j]))),
    draw(setting, given, width) {
      const { W, colours: [blue, orange] } = given, values = kinds.lookup.values(setting, given);
      const place = (j) => [0.58 * width, 62 + 68 * j], end = [width - 30, 164];
      const wire = (ends, helps) => curve(ends, helps ? blue : INK, helps ? "" : "dotted faint");
      const into = (w, j) => each(w, (weight, i) =>
        (weight ? wire([input(i), place(j)], weight * setting[`bit${i}`] > 0) : ""));
      const neuron = (value, j) => {
        const [x, y] = place(j), lit = value > 0;
        return wire([[x, y], end], lit) + disc(x, y, rounded(value), lit && blue)
          + text(x, y - 22, three(W[j].slice(0, 2)), `class="halo" ${MIDDLE}`);
      };
      const bit = (name, i) => {
        const [x, y] = input(i), value = setting[`bit${i}`], colour = i < 2 ? orange : blue;
        return text(x - 20, y + 5, name, END) + disc(x, y, signed(value), value > 0 && colour, colour);
      };
      const lit = values.some((value) => value > 0);
      return each(W, into) + each(values, neuron) + each(BITS, bit) + disc(...end, Number(lit), lit && blue)
        + text(end[0], 196, "output", MIDDLE);
    },
    words(setting, given) {
      const address = [setting.bit0, setting.bit1], values = kinds.lookup.values(setting, given);
      const j = given.W.findIndex((w) => address.every((bit, i) => w[i] === bit));
      return `Address ${three(address)}: only neuron ${j + 1} can speak. It reads ${BITS[2 + j]}, and `
        + `${values[j] > 0 ? "says 1" : "is silent"}.`;
    },
    pick(setting, given, width, x, y) {
      const i = BITS.findIndex((_, one) => hypot(input(one)[0] - x, input(one)[1] - y) < 23);
      return i < 0 ? {} : { [`bit${i}`]: -setting[`bit${i}`] };
    },
  };

  // --- The adversary of statistical queries ---

  const SETS = range(0, 15), BLOCKS = [1, 4, 16]; // parities, and about how many one may ask at once
  // the bit of a question among all that were asked
  const question = (block, T) => [0, 16, 20][block] + floor(T / BLOCKS[block]);
  const parity = (T) => each(range(0, 3).filter((i) => (T >> i) & 1), (i) => `x${"₁₂₃₄"[i]}`) || "1";
  const ONCE = "parities at once";
  kinds.queries = {
    fields: { T: ["T, the parity to ask about", SETS, parity] },
    choices: () => [ONCE, BLOCKS],
    start: { [ONCE]: 0, T: 3, asked: 0 },
    kept: { asked: (value) => value >= 0 && value < 2 ** 21 && value % 1 === 0 },
    steps: {
      "Ask": ({ [ONCE]: block, T, asked }) => ({ asked: asked | (1 << question(block, T)) }),
      "Begin again": () => ({ asked: 0 }),
    },
    width: 420,
    taps: true,
    height: () => 236,
    // each parity of a block has the coefficient size^-1/2, or its negative
    crossed: (asked, tau) => SETS.filter((T) =>
      BLOCKS.some((size, block) => size ** -0.5 > tau && (asked >> question(block, T)) & 1)),
    draw({ [ONCE]: block, T: chosen, asked }, { tau, colours: [, orange] }, width) {
      const gone = kinds.queries.crossed(asked, tau), side = width / 4;
      return each(SETS, (T) => {
        const x = side * (T % 4), y = 4 + 58 * floor(T / 4), out = gone.includes(T);
        const kind = question(block, T) === question(block, chosen) ? "chosen" : "outline";
        return box(x + 3, y, side - 6, 50, `class="${kind}"`)
          + text(x + side / 2, y + 31, parity(T), `class="variable ${out ? "faint" : ""}" ${MIDDLE}`)
          + (out ? curve([[x + 13, y + 42], [x + side - 13, y + 8]], orange) : "");
      });
    },
    words({ [ONCE]: block, T, asked }, { tau }) {
      const size = BLOCKS[block], average = size ** -0.5;
      const left = 16 - kinds.queries.crossed(asked, tau).length;
      const about = size === 1 ? parity(T) : `${size} parities`;
      const effect = average > tau ? "too far from 0: crossed off"
        : `within ${tau} of 0: nothing is crossed off`;
      const told = (asked >> question(block, T)) & 1
        ? `About ${about} the answer was 0. For the secret it is ±${average}, ${effect}`
        : `Ask about ${about}`;
      return `${told}. Questions so far: ${bits(asked)}. `
        + `${left} of 16 parities are left${left ? "" : ": you win"}.`;
    },
    pick(setting, given, width, x, y) {
      const T = 4 * floor(y / 58) + floor((4 * x) / width);
      return SETS.includes(T) ? { T, ...kinds.queries.steps.Ask({ ...setting, T }) } : {};
    },
  };

  // --- Three points that refute Conjecture 20 ---

  const NAMES = ["x₁", "x₂", "x₃"];
  // The eight values stand beside the drawing, on a phone below it
  const list = (width) => {
    const wide = width >= WIDE, left = 66 + (wide ? 0.5 * width : 0), top = wide ? 34 : 320, end = width - 62;
    return { wide, left, end, top, Y: (i) => top + 14 + 27 * i,
      X: (value) => left + ((value - 0.765) / 0.12) * (end - left) };
  };
  kinds.points = {
    fields: {},
    choices: ({ cases }) => ["signs", cases.map(({ signs }) => three(signs))],
    start: { signs: 2 },
    taps: true,
    height: (width) => (width < WIDE ? 550 : 280),
    draw({ signs }, { cases, places, mean, conjectured, colours }, width) {
      const [blue, orange, , purple] = colours, shade = [blue, orange];
      const { neurons, signs: coins } = cases[signs];
      const { wide, left, end, top, X, Y } = list(width), unit = wide ? 0.16 * width : 115;
      const zero = [wide ? 0.22 * width : width / 2, 182];
      const at = ([x, y]) => [zero[0] + unit * x, zero[1] - unit * y];
      const point = (place, i) => {
        const [x, y] = at(place), owner = neurons.findIndex(({ values }) => values[i] > 0);
        return line(...zero, x, y, "cursor") + disc(x, y, signed(coins[i]), shade[owner])
          + text(x, y + (place[1] > 0 ? -22 : 32), NAMES[i], MIDDLE);
      };
      const neuron = ({ direction }, j) =>
        curve([zero, at(direction)], shade[j], "arrow") + dot(...at(direction), 4, paper(shade[j]));
      const row = ({ signs: pattern, value }, i) =>
        box(left - 66, Y(i) - 13, width - left + 66, 26, i === signs ? 'class="shade"' : 'fill="none"')
          + text(left - 12, Y(i) + 4, three(pattern), END) + ring(X(value), Y(i), blue)
          + text(end + 8, Y(i) + 4, value.toFixed(4), i === signs ? 'class="cell"' : "");
      const upright = (name, value, colour, kind, shift, side) =>
        curve([[X(value), top - 4], [X(value), Y(7) + 16]], colour, kind)
          + text(X(value) + shift, top - 10, `${name} ${value.toFixed(4)}`, named(colour, side));
      return each(neurons, neuron) + each(places, point) + each(cases, row) // no arrow over a sign
        + upright("allowed", conjectured, purple, "dashed", -4, END) + upright("mean", mean, blue, "", 4, "");
    },
    words({ signs }, { cases, mean, conjectured }) {
      const { signs: coins, neurons, value } = cases[signs];
      const [one, other] = neurons.map(({ name, values, sum, square, earns }) =>
        `w = ${name} takes ${NAMES.filter((_, i) => values[i] > 0).join(" and ")} `
          + `and earns ${sum}/\u2060√(6·${square}) = ${earns.toFixed(4)}`);
      return `Signs ${three(coins)}: ${one} (blue); ${other} (orange). `
        + `A third of the sum is ${value.toFixed(4)}; the mean of the eight is ${mean.toFixed(4)}, `
        + `allowed are ${conjectured.toFixed(4)}.`;
    },
    pick(setting, given, width, x, y) {
      const { left, Y } = list(width), i = range(0, 7).find((one) => abs(y - Y(one)) <= 13.5);
      return x < left - 66 || i === undefined ? {} : { signs: i };
    },
  };

  // --- A table of signs: each pattern finds the neuron that serves it ---

  const pattern = (u) => [0, 1, 2].map((i) => sign(u, i));
  kinds.patterns = {
    fields: {
      u: ["u, the pattern of the neuron", range(0, 6), (u) => three(pattern(u))],
      toss: ["toss of the coins", range(1, 6)],
    },
    start: { u: 4, toss: 1 },
    width: 420,
    taps: true,
    height: (width, { tosses: [rows] }) => 34 + 26 * rows.length,
    own: ({ u, toss }, { tosses }) => tosses[toss - 1].map((row) => row.join() === pattern(u).join()),
    draw(setting, given, width) {
      const { tosses, colours: [blue] } = given, u = pattern(setting.u);
      const left = 0.3 * width, side = 0.17 * width;
      const own = kinds.patterns.own(setting, given), middle = (i) => left + side * (i + 0.5);
      const told = (b) => own[b] ? text(left - 8, 50 + 26 * b, "has it", END) : "";
      const shown = (row, b) => told(b) + each(row, (coin, i) => {
        const colour = own[b] && u[i] > 0 && blue, y = 32 + 26 * b;
        return box(left + side * i + 1, y + 1, side - 2, 24, colour ? `fill="${colour}"` : 'class="outline"')
          + written(middle(i), y + 13, signed(coin), colour);
      });
      return text(left - 8, 20, "pattern u", END) + each(u, (one, i) => written(middle(i), 15, signed(one)))
        + each(tosses[setting.toss - 1], shown);
    },
    words(setting, given) {
      const rows = kinds.patterns.own(setting, given).filter(Boolean).length, u = pattern(setting.u);
      return `Pattern ${three(u)}: ${rows} of the rows show it. Its neuron is active at `
        + `${rows * u.filter((one) => one > 0).length} points, all +. `
        + "Neurons of different patterns never meet.";
    },
    pick(setting, { tosses }, width, x, y) { // the pattern of the row that is touched
      const row = tosses[setting.toss - 1][floor((y - 32) / 26)];
      const u = range(0, 6).find((one) => pattern(one).join() === row?.join());
      return u === undefined ? {} : { u };
    },
  };

  // --- A verse: who is active at a letter, and where else ---

  kinds.verse = {
    fields: { at: ["t, the place in the line", range(1, 18)] },
    start: { at: 5 },
    hovers: true,
    height: () => 300,
    draw({ at }, { letters, active, rows, colours: [blue] }, width) {
      const side = width / letters.length, high = 268 / rows, lit = new Set(active[at - 1]);
      const cell = (place) => (row) => box(side * place + 1, high * row, side - 2, high - 0.5,
        lit.has(row) ? `fill="${blue}"` : `fill="${INK}" class="faint"`);
      return box(side * (at - 1), 0, side, 298, 'class="shade"')
        + each(active, (here, place) => each(here, cell(place)))
        + each(letters, (letter, i) =>
          text(side * (i + 0.5), 290, letter, i === at - 1 ? `class="told" ${MIDDLE}` : MIDDLE));
    },
    words({ at }, { letters, active, counts, neurons }) {
      const lit = active[at - 1], rest = new Set(active.filter((_, i) => i !== at - 1).flat());
      return `“${letters[at - 1]}”: ${counts[at - 1]} of ${neurons} neurons are active. `
        + `Of the ${lit.length} that are drawn, blue, ${lit.filter((row) => rest.has(row)).length} `
        + "are active at another letter of the line as well.";
    },
    pick: (setting, { letters }, width, x) =>
      ({ at: max(1, Math.min(letters.length, floor((x * letters.length) / width) + 1)) }),
  };

  // --- The lowered copy: what is silent stays silent ---

  kinds.lowered = {
    fields: {
      low: ["lower the copy", [0, 1]],
      e: ["e, the accuracy of the copy", range(1, 8).map((i) => round(5 * i) / 100)],
      z: ["z, where one looks", stops],
    },
    start: { low: 0, e: 0.25, z: -0.1 },
    height: () => 235,
    // the argument of the copy errs by e at the left end, and by nothing at the right
    copy: ({ low, e }, z) => max(0, z + (e * (1 - z)) / 2 - e * low),
    draw(setting, { colours: [, orange, green] }, width) {
      const { low, e, z } = setting, plane = across(width, 150), { X, Y } = plane;
      const colour = low ? green : orange;
      const at = (low ? e : -e) / (2 - e), end = kinds.lowered.copy(setting, 1);
      const value = kinds.lowered.copy(setting, z), neuron = max(0, z);
      return box(X(-1), Y(1.2), X(0) - X(-1), Y(0) - Y(1.2), 'class="shade"')
        + text(X(-1) + 8, Y(1.07), "the neuron is silent") + line(X(-1), Y(0), X(1), Y(0), "axis")
        + curve(bent(plane, 0), INK) + curve(bent(plane, at, end), colour, "dashed")
        + line(X(z), Y(0), X(z), Y(max(value, neuron)), "cursor")
        + dot(X(z), Y(neuron), 5, paper()) + ring(X(z), Y(value), colour)
        + text(X(1) + 20, Y(low ? 0.03 : 0.5), low ? "lowered copy" : "neuron",
          named(low ? colour : INK, END))
        + text(X(0.5), Y(0.7), low ? "neuron" : "copy", named(low ? INK : colour, END))
        + text(X(z), Y(0) + 17, variable("z"), MIDDLE);
    },
    words(setting) {
      const { low, e, z } = setting, copy = kinds.lowered.copy(setting, z), neuron = max(0, z);
      const many = copy > 0 ? `, its copy is not: a hundred such copies add up to ${rounded(100 * copy)}`
        : ", and so is its copy";
      const seen = z > 0 ? `an error of ${rounded(abs(copy - neuron))}` : `the neuron is silent${many}`;
      const errs = low ? "Off where the neuron is off, the copy errs by at most 2e"
        : "The copy errs by at most e";
      return `z = ${rounded(z)}, e = ${e}: ${seen}. ${errs}.`;
    },
    pick: (setting, given, width, x) => ({ z: across(width).value(x) }),
  };

  // --- What is left of one over the share of active neurons ---

  const BATCHES = range(0, 7).map((e) => 2 ** e), times = (value) => `${rounded(value)} ×`;
  kinds.speed = {
    fields: {
      computed: ["found by computing Wx − b", [0, 1]],
      gated: ["gated: three matrices", [0, 1]],
      p: ["p, share active", [0.01, 0.03, 0.1, 0.2, 0.5], (p) => `${100 * p} %`],
      b: ["b, neurons in a block", BATCHES.slice(0, 6)],
      m: ["m, inputs at a time", BATCHES],
    },
    choices: ({ names }) => ["neurons", names],
    start: { neurons: 0, computed: 1, gated: 0, p: 0.03, b: 1, m: 1 },
    // a choice opens where it was measured
    chosen: (neurons, { timed }) => {
      const { b, m } = timed.find((one) => one.neurons === neurons && !one.p) ?? kinds.speed.start;
      return { computed: 0, b, m };
    },
    // what was measured has a share of its own, and a gate costs nothing where the active neurons are known
    idle: ({ neurons, computed }) => [neurons && "p", !computed && "gated"],
    height: () => 330,
    steps({ neurons, computed, gated, p, b, m }, { read }) {
      const at = (row, size) => row[BATCHES.indexOf(size)], others = 1 + gated;
      const needs = (block, size) =>
        (neurons ? at(at(read[neurons - 1], block), size) : 1 - (1 - p) ** (block * size));
      const found = computed ? [(1 + others) / (1 + others * needs(b, m))] : [];
      return [1 / needs(1, 1), 1 / needs(b, 1), 1 / needs(b, m), ...found];
    },
    timed: ({ neurons, p, b, m }, { timed }) => timed.filter((one) =>
      one.neurons === neurons && [p, null].includes(one.p) && one.b === b && one.m === m),
    draw(setting, given, width) {
      const factors = kinds.speed.steps(setting, given), { colours: [blue, , green, purple] } = given;
      // A scale from 1 to 100, the largest factor of all settings, above the rows
      const X = (value) => (width - 70) * log10(value) / 2, top = (i) => 58 + 48 * i;
      const names = ["one input, active neurons known", `blocks of ${setting.b}`,
        setting.m > 1 ? `${setting.m} at a time: what any of them needs` : "one at a time",
        "found by computing Wx − b"];
      const row = (factor, i) => {
        const from = X(factors[max(0, i - 1)]), bar = (to, more) => box(0, top(i) + 6, to, 18, more);
        return text(0, top(i), names[i], 'class="halo"') + bar(from, 'class="outline"')
          + bar(X(factor), `fill="${i ? green : purple}"`)
          + text(from + 6, top(i) + 20, times(factor), 'class="told"');
      };
      const last = top(factors.length), found = kinds.speed.timed(setting, given);
      const foot = last - 18 + (found.length && 28 + 20 * found.length);
      const measured = ({ name, factor }, i) => ring(max(6, X(factor)), last + 15 + 20 * i, blue)
        + text(max(6, X(factor)) + 12, last + 20 + 20 * i, `${name}: ${times(factor)}`, 'class="told"');
      const tick = (value) => line(X(value), 24, X(value), foot, "grid")
        + text(X(value), 20, times(value), value > 1 ? MIDDLE : "");
      return each([1, 3, 10, 30, 100], tick) + line(0, 28, X(100), 28, "axis")
        + each(factors, row)
        + (found.length ? text(0, last, "measured, active neurons known", 'class="halo"') : "")
        + each(found, measured);
    },
    words(setting, given) {
      const factors = kinds.speed.steps(setting, given);
      const found = kinds.speed.timed(setting, given);
      const time = found.map(({ name, factor }) => `${name} ${times(factor)}`).join(", ");
      const left = `a factor of ${rounded(factors[0])} becomes ${rounded(factors.at(-1))}`;
      return `${rounded(100 / factors[0])} % active: ${left}. `
        + (time && `Measured, if the active neurons are known: ${time}.`);
    },
  };
})();
