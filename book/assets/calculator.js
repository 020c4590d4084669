// The bounds calculator: `rows` are the bounds of sparse.js that the page shows, each with its reading.
const calculator = (() => {
  const { abs, ceil, floor, log, log2, max, min, sqrt } = Math;
  const { LOSS, ours, paper, show } = sparse;

  // --- Readings: what a value says at a setting p ---

  const against = (value, trivial, name) => {
    if (value === Infinity) return "vacuous: beyond 10³⁰⁸";
    if (trivial === Infinity) return `below ${name}`;
    if (value >= trivial * (1 - 1e-12)) return `vacuous: not below ${name} (${show(trivial)})`;
    return `below ${name} (${show(trivial)})${value > 0 ? ` by a factor ${show(trivial / value)}` : ""}`;
  };
  const dense = (p, value) => {
    if (p.n * p.s === 1 && !value) return "false here: 0 at n = s = 1 (E17)";
    return against(value, (p.s * p.W) ** 2, "the dense s²W²");
  };
  const layered = (p, value) => against(value, p.s ** (p.D + 1) * p.W ** (2 * p.D), "that of D dense layers");
  const noise = (p, value) => against(value, ((1 - p.rho) / 2) * (p.s * p.W) ** 2, "the dense (1 − ρ)s²W²/2");
  const tail = (p, value) => {
    if (p.d >= p.n) return "vacuous: d ≥ n, and no function has weight above degree n";
    const trivial = min(paper.sup_norm(p.n, p.k, p.W, p.B) ** 2, (p.s * p.W) ** 2 / (p.d + 1));
    return against(value, trivial, "the trivial bound");
  };
  const second_order = (p, value) => (value === Infinity ? "does not apply: d is too small" : tail(p, value));
  const degree = ({ n }, value) =>
    value >= n ? `vacuous: every function on the cube has degree at most n = ${n}` : `below n = ${n}`;
  const samples = (p, value) => against(value, 2 ** p.n, "the number 2ⁿ of inputs");
  const queries = (p, value) => {
    if (Number.isNaN(value)) return "does not apply: needs p ≤ min(n, log₂(s/k)) and B ≥ W|p − 2|/√p";
    return value <= 1 ? "vacuous: requires at most one query" : "more than one query";
  };
  const complexity = (p, value, k = p.k, name = "the trivial k(WR + B)") => {
    if (Number.isNaN(value)) return "not a bound here: the logarithm is negative (E25)";
    return against(value, k * (p.W * p.R + p.B), name);
  };
  const comparison = () => "for comparison: holds without any sample";
  const on_average = (p, value) => complexity(p, value, p.a, "the trivial a(WR + B)");
  const one_sparse = (p, value) =>
    (p.k > 1 ? "does not apply to k > 1; " : "") + complexity(p, value, 1, "the trivial WR + B");
  const general = (p, value) => {
    if (value < 0) return "not a number of samples: negative (E23)";
    if (value === Infinity) return "vacuous: beyond 10³⁰⁸";
    if (2 * p.eps >= (p.k * (p.W * p.R + p.B)) ** 2)
      return "vacuous: at this ε the zero function suffices, without any sample";
    const parameters = p.s * (p.n + 2);
    return `${show(value / parameters)} for each of the s(n + 2) = ${show(parameters)} parameters`;
  };

  // --- The rows: value and reading at a setting p ---

  const at = (bound, names, ...form) => (p) => bound(...names.split(" ").map((name) => p[name]), ...form);
  const cell = (value, reading) => ({ value, reading });
  const row = (bound, names, reading, ...form) => cell(at(bound, names, ...form), reading);
  const both = (name, names, reading) => ({
    [`paper.${name} printed`]: row(paper[name], names, reading, "printed"),
    [`paper.${name} repaired`]: row(paper[name], names, reading, "repaired"),
  });
  const AS = at(ours.average_sensitivity, "W k s"), d = at(ours.degree, "eps W k s");
  const mean = ({ W, s, a }) => ours.average_sensitivity_moments(W, s, 1, a);
  const cut = (form) => (p) => paper.claim_2_1_tail(at(paper.lemma_10, "n s k W B rho", form)(p), p.rho, p.d);
  const applies = (p) => p.p <= min(p.n, floor(log2(p.s / p.k))) && p.B >= (p.W * abs(p.p - 2)) / sqrt(p.p);
  const rows = {
    ...both("lemma_9", "n s k W B", dense),
    "ours.average_sensitivity k": row(ours.average_sensitivity, "W k", dense),
    "ours.average_sensitivity": cell(AS, dense),
    "ours.average_sensitivity_nonnegative": row(ours.average_sensitivity_nonnegative, "W k", dense),
    "ours.average_sensitivity_spread": row(ours.average_sensitivity_spread, "W W4 k s", dense),
    "ours.average_sensitivity_moments": cell(mean, dense),
    "ours.average_sensitivity_depth": row(ours.average_sensitivity_depth, "W k s D", layered),
    "ours.gradient tail": row(ours.tail_from_average_sensitivity, "J d", tail),
    "ours.gradient degree": cell((p) => max(0, ceil((LOSS * p.J) / p.eps) - 1), degree),
    ...both("lemma_10", "n s k W B rho", noise),
    "ours.noise_sensitivity": row(ours.noise_sensitivity, "rho W k s", noise),
    "paper.claim_2_1_tail printed": cell(cut("printed"), tail),
    "paper.claim_2_1_tail repaired": cell(cut("repaired"), tail),
    "ours.tail_from_average_sensitivity": cell((p) => ours.tail_from_average_sensitivity(AS(p), p.d), tail),
    "ours.tail_uncorrelated": row(ours.tail_uncorrelated, "d W k", tail),
    "ours.tail_second_order": row(ours.tail_second_order, "d W k s", second_order),
    ...both("theorem_8_degree", "n s k W B eps", degree),
    "ours.theorem_8_degree": row(ours.theorem_8_degree, "eps W k s", degree),
    ...both("theorem_8_samples", "n s k W B eps delta", samples),
    "paper.lemma_7": cell((p) =>
      paper.lemma_7(p.n, min(p.n, d(p)), paper.sup_norm(p.n, p.k, p.W, p.B), p.eps, p.delta), samples),
    "ours.theorem_8_samples": row(ours.theorem_8_samples, "n s k W B eps delta", samples),
    "ours.averaging_samples": cell((p) => ours.averaging_samples(p.n, d(p), AS(p), p.eps, p.delta), samples),
    "ours.least_squares_samples": cell((p) => ours.least_squares_samples(p.n, d(p), p.delta), samples),
    "paper.theorem_14": row(paper.theorem_14, "p tau", queries),
    "ours.theorem_14": row(ours.theorem_14, "p tau", queries),
    "ours.statistical_queries": cell(
      (p) => (applies(p) ? ours.statistical_queries(p.n, p.p, p.tau, 0.5) : NaN), queries),
    "ours.rademacher trivial": row(ours.rademacher, "m s k W B R", comparison, "trivial"),
    "paper.dense_rademacher": row(paper.dense_rademacher, "m s W B R", complexity),
    ...both("theorem_19", "m n s W B R", one_sparse),
    ...both("eq_15", "m n s k W B R", complexity),
    "paper.conjecture_20": row(paper.conjecture_20, "m s k W B R", complexity),
    "ours.rademacher joint": row(ours.rademacher, "m s k W B R", complexity, "joint"),
    "ours.rademacher separated": row(ours.rademacher, "m s k W B R", complexity, "separated"),
    "ours.rademacher_mean": row(ours.rademacher_mean, "m s a W B R", on_average),
    ...both("theorem_17", "n s k W B R eps delta", general),
    "ours.theorem_17": row(ours.theorem_17, "n s k W B R eps delta", general),
  };

  // --- The form ---

  const whole = (stops) => stops.filter(Number.isInteger);
  const binary = (most) => // 1, 2, 3, 4, 6, 8, 12, ...
    whole(sparse.range(2 * log2(most) + 1).map((i) => (i % 2 ? 1.5 : 1) * 2 ** floor(i / 2)));
  const decimal = (low, high) => { // 1, 1.5, 2, 3, 5, 7 times powers of ten, free of round-off
    const decade = (i) => [1, 1.5, 2, 3, 5, 7].map((digit) => Number(`${digit}e${low + i}`));
    return [...sparse.range(high - low).flatMap(decade), Number(`1e${high}`)];
  };
  const close = [0.95, 0.98, 0.99, 0.995, 0.998, 0.999];
  const correlations = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, ...close];
  const fields = Object.fromEntries([ // the stops of each slider; its number field takes all between the ends
    ["n", 256, "n", "inputs", binary(4096)],
    ["s", 1024, "s", "neurons", binary(2 ** 20)],
    ["k", 1, "k", "active at once", binary(4096)],
    ["W", 1, "W", "scale of weights", decimal(-2, 3)],
    ["B", 3, "B", "scale of biases", [0, ...decimal(-2, 3)]],
    ["eps", 0.2, "ε", "loss", decimal(-6, 3)],
    ["delta", 0.05, "δ", "chance of failure", decimal(-9, 0).slice(0, -2)],
    ["rho", 0.9, "ρ", "correlation", correlations],
    ["d", 16, "d", "cut of the tail", whole(decimal(0, 6))],
    ["p", 8, "p", "bits of the parity", sparse.range(64).map((i) => i + 1)],
    ["tau", 0.1, "τ", "tolerance", decimal(-6, 0)],
    ["m", 1e9, "m", "samples", whole(decimal(0, 12))],
    ["R", 16, "R", "norm of the inputs", decimal(-2, 3)],
    ["W4", 0.25, "W₄", "ℓ⁴ norm of a weight vector", decimal(-3, 3)],
    ["a", 0.5, "a", "mean number of active neurons", decimal(-2, 4)],
    ["D", 2, "D", "layers", [1, 2, 3, 4, 5, 6, 7, 8]],
    ["J", 1.1, "J", "measured on the edges", decimal(-3, 6)],
  ].map(([key, initial, symbol, words, stops]) => {
    const ends = { min: stops[0], max: stops.at(-1) };
    return [key, { initial, symbol, words, stops, whole: stops.every(Number.isInteger), ...ends }];
  }));
  const table = (entries, made) =>
    Object.fromEntries(Object.entries(entries).map(([key, entry]) => [key, made(entry)]));
  const defaults = table(fields, ({ initial }) => initial);
  const evaluate = (setting) => table(rows, ({ value }) => value(setting));
  const readings = (setting) => table(rows, ({ value, reading }) => {
    const number = value(setting), words = reading(setting, number);
    return [words.startsWith("does not apply:") ? "none" : show(number), words];
  });

  const problem = (key, value, setting) => { // why a value is refused, or nothing
    const { symbol, words, whole: integer, min: low, max: high } = fields[key], name = `${symbol} (${words})`;
    if (!Number.isFinite(value) || (integer && !Number.isInteger(value)) || value < low || value > high)
      return `${name} must be a ${integer ? "whole number" : "number"} from ${low} to ${high}.`;
    const { s, k } = { ...setting, [key]: value };
    if (k <= s) return "";
    return `${name} breaks the rule k ≤ s: of ${s} neurons at most ${s} are active at once, not ${k}.`;
  };
  const write = (setting) => `#${Object.entries(setting).map(([key, value]) => `${key}=${value}`).join("&")}`;
  const read = (fragment) => { // what is missing or refused keeps its initial value
    const asked = new URLSearchParams(fragment.replace(/^#/, "")), setting = { ...defaults };
    for (const key of Object.keys(fields)) {
      const value = asked.get(key) ? Number(asked.get(key)) : NaN;
      if (!problem(key, value, { s: Infinity, k: 0 })) setting[key] = value;
    }
    return setting.k > setting.s ? { ...setting, k: setting.s } : setting;
  };
  const nearest = ({ stops }, value) => {
    const distances = stops.map((stop) => abs(log((stop + 1e-9) / (value + 1e-9))));
    return distances.indexOf(min(...distances));
  };

  addEventListener("DOMContentLoaded", () => {
    const places = [...document.querySelectorAll("[data-fields]")];
    if (!places.length) return;
    let setting = read(location.hash), timer;

    const control = (key) => {
      const { symbol, words, stops, whole: integer, min: low, max: high } = fields[key];
      return `<div class="bound-field"><label for="field-${key}"><var>${symbol}</var>, ${words}</label>
        <input type="range" id="slider-${key}" data-key="${key}" min="0" max="${stops.length - 1}" step="1"
        aria-label="${symbol}, ${words}: slider"><input type="number" id="field-${key}" data-key="${key}"
        min="${low}" max="${high}" step="${integer ? 1 : "any"}" aria-describedby="bounds-message"></div>`;
    };
    for (const place of places) place.innerHTML = place.dataset.fields.split(" ").map(control).join("");
    const first = places[0];
    first.insertAdjacentHTML("beforeend", `<button type="button" class="bound-reset">Reset</button>
      <p id="bounds-message" role="alert"></p><p id="bounds-summary" aria-live="polite"></p>`);
    first.closest("section")?.after(first); // out of its section, so that it stays in sight
    const input = (kind, key) => document.getElementById(`${kind}-${key}`);
    const message = input("bounds", "message"), summary = input("bounds", "summary");

    const summarise = (shown) => {
      const [printed, repaired, here] = ["paper.theorem_8_degree printed", "paper.theorem_8_degree repaired",
        "ours.theorem_8_degree"].map((key) => shown[key][0]);
      const easy = 2 * setting.eps >= paper.sup_norm(setting.n, setting.k, setting.W, setting.B) ** 2;
      const words = easy ? " At so large an ε the zero function suffices." : "";
      return `Degree of Theorem 8: ${printed} as printed, ${repaired} repaired, ${here} here; `
        + `n = ${setting.n}.${words}`;
    };
    const update = ({ typed = "", moved = true } = {}) => {
      for (const [key, value] of Object.entries(setting)) {
        const slider = input("slider", key), number = input("field", key);
        slider.value = nearest(fields[key], value);
        slider.setAttribute("aria-valuetext", show(value));
        if (key !== typed) number.value = value;
        number.removeAttribute("aria-invalid");
      }
      message.textContent = "";
      const shown = readings(setting);
      for (const place of document.querySelectorAll("[data-row]")) {
        const [value, reading] = shown[place.dataset.row];
        place.textContent = value;
        const words = document.querySelector(`[data-reading="${place.dataset.row}"]`);
        words.textContent = reading;
        const vacuous = /^(vacuous|not|does|says|false)/.test(reading);
        words.classList.toggle("vacuous", vacuous);
        words.classList.toggle("informative", !vacuous);
      }
      clearTimeout(timer);
      timer = setTimeout(() => { // one announcement and one address for a movement, not one for each step
        summary.textContent = summarise(shown);
        if (moved) history.replaceState(null, "", write(setting));
      }, 250);
    };

    addEventListener("input", ({ target }) => {
      const { key } = target.dataset ?? {};
      if (!key) return;
      if (target.type === "range") {
        setting = { ...setting, [key]: fields[key].stops[target.value] };
        if (setting.k > setting.s) setting[key === "k" ? "s" : "k"] = setting[key]; // the other one follows
        return update();
      }
      const value = target.valueAsNumber, refusal = problem(key, value, setting);
      if (!refusal) {
        setting = { ...setting, [key]: value };
        return update({ typed: key });
      }
      target.setAttribute("aria-invalid", "true");
      message.textContent = `${refusal} Shown are the results for ${fields[key].symbol} = ${setting[key]}.`;
    });
    const set = (next, options) => {
      setting = next;
      update(options);
    };
    first.querySelector(".bound-reset").addEventListener("click", () => set({ ...defaults }));
    addEventListener("hashchange", () => location.hash.includes("=") && set(read(location.hash)));
    update({ moved: false });
  });

  return { fields, defaults, evaluate, readings, problem, read, write };
})();
