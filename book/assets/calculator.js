// The bounds calculator. `paper` and `ours` are sparse_core.bounds in JavaScript: its names, in the forms that the page
// shows (tests/test_calculator.py compares the values); `rows` is what the page shows; the rest is the form.
const calculator = (() => {
  const { ceil, cbrt, exp, expm1, floor, log, log1p, log2, max, min, sqrt } = Math;

  // --- sparse_core.bounds ---

  const TAILS = 8, LOSS = TAILS / 2, SECOND_ORDER = ((4 / 0.233) * 2 * 3.83) / 3 ** 1.5;

  const binomial = (n, p) => {
    let value = 1;
    for (let i = 1; i <= p; i++) value = (value * (n - p + i)) / i;
    return value;
  };
  const basis_size = (n, d) => {
    if (d >= n) return 2 ** n;
    let term = 1, sum = 1;
    for (let i = 1; i <= d; i++) sum += term *= (n - i + 1) / i;
    return sum;
  };
  const least = (enough, start) => {
    if (enough(start)) return start;
    let high = 2 * start;
    while (!enough(high)) if ((high *= 2) > 2 ** 1000) return Infinity;
    let low = high / 2;
    for (;;) {
      const middle = floor((low + high) / 2);
      if (middle <= low || middle >= high) return high; // neighbours, as integers or as floats
      if (enough(middle)) high = middle;
      else low = middle;
    }
  };

  const ours = {
    average_sensitivity: (W, k, s = Infinity) => min(2 * k, s) ** 2 * (W * W),
    average_sensitivity_nonnegative: (W, k) => 2 * (k * W) ** 2,
    average_sensitivity_spread: (W, W4, k, s) => (k * (W + (2 * max(0.5, log(s / k))) ** 0.25 * W4)) ** 2,
    average_sensitivity_moments: (W, s, p, moment) => 2 ** p * s ** (2 - p) * W * W * moment,
    average_sensitivity_depth: (W, k, s, layers) => min(2 * k, s) ** (layers + 1) * W ** (2 * layers), // of equal layers
    noise_sensitivity: (rho, W, k, s) => ((1 - rho) / 2) * ours.average_sensitivity(W, k, s),
    tail_from_average_sensitivity: (AS, d) => AS / (d + 1),
    tail_uncorrelated: (d, W, k) => (4 * k * W * W) / (d + 1),
    log_width: (s, k) => max(1.5, log(s / k)),
    tail_second_order(d, W, k, s) {
      const L = ours.log_width(s, k);
      return d >= 4 * L ? (SECOND_ORDER * (k * W) ** 2 * sqrt(L)) / d ** 1.5 : Infinity;
    },
    degree(eps, W, k, s) {
      const first = max(0, ceil(ours.average_sensitivity(W, k, s) / eps) - 1), L = ours.log_width(s, k);
      return min(first, max(ceil(4 * L), ceil(cbrt(((SECOND_ORDER * (k * W) ** 2) / eps) * sqrt(L)) ** 2)));
    },
    lemma_6: (p, n) => (p ? p * sqrt((n * log(1 / p)) / 2) : 0),
    selection_constant(good, bad) {
      const t = (bad - good) / log(bad / good);
      return 4 / (t * log(t / good) - t + good);
    },
    lemma_7(n, d, C, eps, delta) {
      const r = ceil(log2(2 / delta));
      return ((C * C) / eps) * (basis_size(n, d) * r + ours.selection_constant(TAILS / 2, TAILS) * log((2 * r) / delta));
    },
    theorem_8_degree: (eps, W, k, s) => ours.degree(eps / LOSS, W, k, s),
    theorem_8_samples: (n, s, k, W, B, eps, delta) =>
      ours.lemma_7(n, ours.theorem_8_degree(eps, W, k, s), paper.sup_norm(n, k, W, B), eps / LOSS, delta),
    averaging_samples(n, d, variance, eps, delta) {
      const q = sqrt(basis_size(n, d) - 1);
      return ceil(8 * log(1 / delta)) * (((36 * variance) / eps) * (1 + q) ** 2 + q);
    },
    least_squares_samples(n, d, delta) {
      const N = basis_size(n, d), a = log(N) + log(2 / delta);
      let low = 2 ** -10, high = 1; // of t
      for (let i = 0; i < 60; i++) {
        const t = (low + high) / 2;
        if (a / (t + (1 - t) * log1p(-t)) > 2 / (delta * (1 - t) ** 2)) low = t;
        else high = t;
      }
      const median = ceil(8 * log(1 / delta)) * N * max(log(8 * N) / (0.5 + 0.5 * log(0.5)), 9 * 8 * 4);
      return min(N * (2 / (delta * (1 - high) ** 2)), median);
    },
    theorem_14: (m, tau) => max(0, tau * tau * (2 ** m - 8)),
    statistical_queries: (n, p, tau, gamma) => max(0, tau * tau * (binomial(n, p) - 1 / gamma)),
    rate(m, s, k) {
      const share = (k * m) / s, last = 30 + max(0, ceil(log2(share)));
      let bracket = 7 * sqrt(log(2 * m));
      for (let L = 1; L <= last; L++)
        bracket = min(bracket, 1 + 2 ** (1 - L / 2) * sqrt(share) + 4 * sqrt(2) * sqrt(log(4 * m * L) + 0.5));
      return sqrt((s * k) / m) * bracket;
    },
    rademacher_mean: (m, s, mean, W, B, R) => (W * R + B) * ours.rate(m, s, mean),
    rademacher(m, s, k, W, B, R, form) {
      const M = W * R + B, rate = ours.rate(m, s, k);
      return { joint: M * rate, separated: (k * M) / sqrt(m) + 2 * W * R * rate, trivial: k * M }[form];
    },
    theorem_17(n, s, k, W, B, R, eps, delta) {
      const kM = k * (W * R + B);
      return ((4 * kM * kM) / eps) * (s * (n + 1) * log(1 + (4 * kM) / sqrt(eps)) + s * log(2) + log(1 / delta));
    },
  };

  const bucketed = (r, n, s, k, W, B) => paper.lemma_9(r, s, k, W * sqrt(paper.bucket_norm(n, s, r)), B, "repaired") / r;

  const paper = {
    claim_2_1_tail: (ns, rho, d) => (2 * ns) / (1 - rho ** d),
    lemma_7: (n, d, C, eps, delta) => (n ** d * C * C * log(1 / delta)) / eps,
    boundary_probability: (n, s, k) => ((4 * s) / n) * ours.lemma_6(min(k / s, exp(-1 / 2)), n),
    threshold: (n, s, k, W, B) => k * W * sqrt(2 * (log(2 * s) + 4 * log(n * s))) + k * B,
    sup_norm: (n, k, W, B) => k * (W * sqrt(n) + B),
    lemma_9(n, s, k, W, B, form) {
      if (form === "printed") return k ** 4 * W * W * sqrt(n) * log(n * s) + k ** 3 * B * B * sqrt(log(s));
      const P = paper.boundary_probability(n, s, k), t = paper.threshold(n, s, k, W, B), C = paper.sup_norm(n, k, W, B);
      return (k * W) ** 2 + n * (P * t * t + (n * s) ** -4 * C * C);
    },
    bucket_norm: (n, s, r) => 8 * log(n * s * r) + (n * s * r) ** -2,
    lemma_10(n, s, k, W, B, rho, form) {
      if (form === "repaired") return bucketed(floor((2 / (1 - rho)) * (1 + 1e-12)), n, s, k, W, B);
      return sqrt(1 - rho) * (k ** 4 * W * W * log((n * s) / (1 - rho)) ** 2 + k ** 3 * B * B * sqrt(log(s)));
    },
    theorem_8_degree(n, s, k, W, B, eps, form) {
      if (form === "printed") return (k ** 8 * W ** 4 * log(n * s) ** 4 + k ** 6 * B ** 4 * log(s)) / (eps * eps);
      return least((d) => (2 * bucketed(d, n, s, k, W, B)) / -expm1(d * log1p(-2 / d)) <= eps / LOSS, 3);
    },
    theorem_8_samples(n, s, k, W, B, eps, delta, form) {
      const C = paper.sup_norm(n, k, W, B), d = paper.theorem_8_degree(n, s, k, W, B, eps, form);
      if (form === "repaired") return ours.lemma_7(n, d, C, eps / LOSS, delta);
      return (exp(d * log(n)) * C * C * log(1 / delta)) / eps;
    },
    theorem_14: (m, tau) => 2 ** m * tau * tau,
    lemma_18: (C, rademacher, m, delta) => 4 * C * rademacher + C * C * sqrt((2 * log(1 / delta)) / m),
    theorem_17(n, s, k, W, B, R, eps, delta, form) {
      const M = W * R + B;
      if (form === "printed") return (M * M * k * s * n * log((k * (R + B)) / eps) + log(1 / delta)) / (eps * eps);
      return least((m) => paper.lemma_18(k * M, paper.eq_15(m, n, s, k, W, B, R, form), m, delta) <= eps, 1);
    },
    theorem_19: (m, n, s, W, B, R, form) => paper.eq_15(m, n, s, 1, W, B, R, form),
    eq_15(m, n, s, k, W, B, R, form) {
      const rate = (W * R + B) * sqrt((s * k) / m);
      if (form === "repaired") return rate * (1 + sqrt(2 * min(log(2) + n * log(m), m * log(2))));
      return rate * sqrt(n * log(k * m * (R + B))); // not a number where the logarithm is negative
    },
    dense_rademacher: (m, s, W, B, R) => ((W * R + B) * s) / sqrt(m),
    conjecture_20: (m, s, k, W, B, R) => (W * R + B) * sqrt((s * k) / m),
  };

  // --- Numbers and words ---

  const raised = (power) => String(power).replace(/./g, (sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]);
  const show = (value) => {
    if (Number.isNaN(value)) return "none";
    if (!Number.isFinite(value)) return value > 0 ? "beyond 10³⁰⁸" : "below −10³⁰⁸";
    const size = Math.abs(value);
    if (size && (size < 1e-3 || size >= 1e6)) {
      const [factor, power] = value.toExponential(2).split("e");
      return `${factor.replace("-", "−")}·10${raised(Number(power))}`;
    }
    const digits = size < 1e4 ? Number(value.toPrecision(4)) : Math.round(value);
    return String(digits).replace("-", "−").replace(/^(−?\d{2,3})(\d{3})$/, "$1\u202f$2");
  };
  const against = (value, trivial, name) => {
    if (value === Infinity) return "vacuous: beyond 10³⁰⁸";
    if (trivial === Infinity) return `below ${name}`;
    return value >= trivial * (1 - 1e-12) ? `vacuous: not below ${name} (${show(trivial)})`
      : value > 0 ? `below ${name} (${show(trivial)}) by a factor ${show(trivial / value)}` : `below ${name} (${show(trivial)})`;
  };
  const dense = (p, value) => p.n * p.s === 1 && !value ? "false here: 0 at n = s = 1 (E17)" : against(value, (p.s * p.W) ** 2, "the dense s²W²");
  const layered = (p, value) => against(value, p.s ** (p.D + 1) * p.W ** (2 * p.D), "that of D dense layers");
  const noise = (p, value) => against(value, ((1 - p.rho) / 2) * (p.s * p.W) ** 2, "the dense (1 − ρ)s²W²/2");
  const tail = (p, value) => {
    if (p.d >= p.n) return "vacuous: d ≥ n, and no function has weight above degree n";
    return against(value, min(paper.sup_norm(p.n, p.k, p.W, p.B) ** 2, (p.s * p.W) ** 2 / (p.d + 1)), "the trivial bound");
  };
  const second_order = (p, value) => (value === Infinity ? "does not apply: d is too small" : tail(p, value));
  const degree = (p, value) => value >= p.n ? `vacuous: every function on the cube has degree at most n = ${p.n}` : `below n = ${p.n}`;
  const samples = (p, value) => against(value, 2 ** p.n, "the number 2ⁿ of inputs");
  const queries = (p, value) => {
    if (Number.isNaN(value)) return "does not apply: needs p ≤ min(n, log₂(s/k)) and B ≥ W|p − 2|/√p";
    return value <= 1 ? "vacuous: requires at most one query" : "more than one query";
  };
  const rademacher = (p, value) => {
    if (Number.isNaN(value)) return "not a bound here: the logarithm is negative (E25)";
    return against(value, p.k * (p.W * p.R + p.B), "the trivial k(WR + B)");
  };
  const on_average = (p, value) => against(value, p.a * (p.W * p.R + p.B), "the trivial a(WR + B)");
  const one_sparse = (p, value) => (p.k > 1 ? "does not apply to k > 1; " : "") + rademacher({ ...p, k: 1 }, value).replace("k(WR", "WR").replace("B)", "B");
  const general = (p, value) => {
    if (value < 0) return "not a number of samples: negative (E23)";
    if (value === Infinity) return "vacuous: beyond 10³⁰⁸";
    if (2 * p.eps >= (p.k * (p.W * p.R + p.B)) ** 2) return "vacuous: at this ε the zero function suffices, without any sample";
    return `${show(value / (p.s * (p.n + 2)))} for each of the s(n + 2) = ${show(p.s * (p.n + 2))} parameters`;
  };

  // --- The rows: value and reading at a setting p ---

  const applies = (p) => p.p <= min(p.n, floor(log2(p.s / p.k))) && p.B >= (p.W * Math.abs(p.p - 2)) / sqrt(p.p);
  const row = (value, reading) => ({ value, reading });
  const both = (name, reading, value) => ({
    [`paper.${name} printed`]: row((p) => value(p, "printed"), reading),
    [`paper.${name} repaired`]: row((p) => value(p, "repaired"), reading),
  });
  const rows = {
    ...both("lemma_9", dense, ({ n, s, k, W, B }, form) => paper.lemma_9(n, s, k, W, B, form)),
    "ours.average_sensitivity k": row(({ k, W }) => ours.average_sensitivity(W, k), dense),
    "ours.average_sensitivity": row(({ s, k, W }) => ours.average_sensitivity(W, k, s), dense),
    "ours.average_sensitivity_nonnegative": row(({ k, W }) => ours.average_sensitivity_nonnegative(W, k), dense),
    "ours.average_sensitivity_spread": row(({ s, k, W, W4 }) => ours.average_sensitivity_spread(W, W4, k, s), dense),
    "ours.average_sensitivity_moments": row(({ s, W, a }) => ours.average_sensitivity_moments(W, s, 1, a), dense),
    "ours.average_sensitivity_depth": row(({ s, k, W, D }) => ours.average_sensitivity_depth(W, k, s, D), layered),
    "ours.gradient tail": row(({ J, d }) => ours.tail_from_average_sensitivity(J, d), tail),
    "ours.gradient degree": row(({ J, eps }) => max(0, ceil((LOSS * J) / eps) - 1), degree),
    ...both("lemma_10", noise, ({ n, s, k, W, B, rho }, form) => paper.lemma_10(n, s, k, W, B, rho, form)),
    "ours.noise_sensitivity": row(({ s, k, W, rho }) => ours.noise_sensitivity(rho, W, k, s), noise),
    ...both("claim_2_1_tail", tail, ({ n, s, k, W, B, rho, d }, form) => paper.claim_2_1_tail(paper.lemma_10(n, s, k, W, B, rho, form), rho, d)),
    "ours.tail_from_average_sensitivity": row(({ s, k, W, d }) => ours.tail_from_average_sensitivity(ours.average_sensitivity(W, k, s), d), tail),
    "ours.tail_uncorrelated": row(({ k, W, d }) => ours.tail_uncorrelated(d, W, k), tail),
    "ours.tail_second_order": row(({ s, k, W, d }) => ours.tail_second_order(d, W, k, s), second_order),
    ...both("theorem_8_degree", degree, ({ n, s, k, W, B, eps }, form) => paper.theorem_8_degree(n, s, k, W, B, eps, form)),
    "ours.theorem_8_degree": row(({ s, k, W, eps }) => ours.theorem_8_degree(eps, W, k, s), degree),
    ...both("theorem_8_samples", samples, ({ n, s, k, W, B, eps, delta }, form) => paper.theorem_8_samples(n, s, k, W, B, eps, delta, form)),
    "paper.lemma_7": row(({ n, s, k, W, B, eps, delta }) => paper.lemma_7(n, min(n, ours.degree(eps, W, k, s)), paper.sup_norm(n, k, W, B), eps, delta), samples),
    "ours.theorem_8_samples": row(({ n, s, k, W, B, eps, delta }) => ours.theorem_8_samples(n, s, k, W, B, eps, delta), samples),
    "ours.averaging_samples": row(({ n, s, k, W, eps, delta }) => ours.averaging_samples(n, ours.degree(eps, W, k, s), ours.average_sensitivity(W, k, s), eps, delta), samples),
    "ours.least_squares_samples": row(({ n, s, k, W, eps, delta }) => ours.least_squares_samples(n, ours.degree(eps, W, k, s), delta), samples),
    "paper.theorem_14": row(({ p, tau }) => paper.theorem_14(p, tau), queries),
    "ours.theorem_14": row(({ p, tau }) => ours.theorem_14(p, tau), queries),
    "ours.statistical_queries": row((p) => (applies(p) ? ours.statistical_queries(p.n, p.p, p.tau, 0.5) : NaN), queries),
    "ours.rademacher trivial": row(({ m, s, k, W, B, R }) => ours.rademacher(m, s, k, W, B, R, "trivial"), () => "for comparison: holds without any sample"),
    "paper.dense_rademacher": row(({ m, s, W, B, R }) => paper.dense_rademacher(m, s, W, B, R), rademacher),
    ...both("theorem_19", one_sparse, ({ m, n, s, W, B, R }, form) => paper.theorem_19(m, n, s, W, B, R, form)),
    ...both("eq_15", rademacher, ({ m, n, s, k, W, B, R }, form) => paper.eq_15(m, n, s, k, W, B, R, form)),
    "paper.conjecture_20": row(({ m, s, k, W, B, R }) => paper.conjecture_20(m, s, k, W, B, R), rademacher),
    "ours.rademacher joint": row(({ m, s, k, W, B, R }) => ours.rademacher(m, s, k, W, B, R, "joint"), rademacher),
    "ours.rademacher separated": row(({ m, s, k, W, B, R }) => ours.rademacher(m, s, k, W, B, R, "separated"), rademacher),
    "ours.rademacher_mean": row(({ m, s, a, W, B, R }) => ours.rademacher_mean(m, s, a, W, B, R), on_average),
    ...both("theorem_17", general, ({ n, s, k, W, B, R, eps, delta }, form) => paper.theorem_17(n, s, k, W, B, R, eps, delta, form)),
    "ours.theorem_17": row(({ n, s, k, W, B, R, eps, delta }) => ours.theorem_17(n, s, k, W, B, R, eps, delta), general),
  };

  // --- The form ---

  const binary = (most) => Array.from({ length: 2 * log2(most) + 1 }, (_, i) => (i % 2 ? 1.5 : 1) * 2 ** floor(i / 2)).filter(Number.isInteger);
  const decimal = (low, high) => { // 1, 1.5, 2, 3, 5, 7 times powers of ten, free of round-off
    const values = [];
    for (let e = low; e < high; e++) for (const digit of [1, 1.5, 2, 3, 5, 7]) values.push(Number(`${digit}e${e}`));
    return [...values, Number(`1e${high}`)];
  };
  const field = (initial, symbol, words, stops, whole = false) => ({ initial, symbol, words, stops, whole, min: stops[0], max: stops[stops.length - 1] });
  const fields = { // the stops of each slider; its number field takes everything between the first and the last
    n: field(256, "n", "inputs", binary(4096), true),
    s: field(1024, "s", "neurons", binary(2 ** 20), true),
    k: field(1, "k", "active at once", binary(4096), true),
    W: field(1, "W", "scale of weights", decimal(-2, 3)),
    B: field(3, "B", "scale of biases", [0, ...decimal(-2, 3)]),
    eps: field(0.2, "ε", "loss", decimal(-6, 3)),
    delta: field(0.05, "δ", "chance of failure", decimal(-9, 0).slice(0, -2)),
    rho: field(0.9, "ρ", "correlation", [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999]),
    d: field(16, "d", "cut of the tail", decimal(0, 6).filter(Number.isInteger), true),
    p: field(8, "p", "bits of the parity", Array.from({ length: 64 }, (_, i) => i + 1), true),
    tau: field(0.1, "τ", "tolerance", decimal(-6, 0)),
    m: field(1e9, "m", "samples", decimal(0, 12).filter(Number.isInteger), true),
    R: field(16, "R", "norm of the inputs", decimal(-2, 3)),
    W4: field(0.25, "W₄", "ℓ⁴ norm of a weight vector", decimal(-3, 3)),
    a: field(0.5, "a", "mean number of active neurons", decimal(-2, 4)),
    D: field(2, "D", "layers", [1, 2, 3, 4, 5, 6, 7, 8], true),
    J: field(1.1, "J", "measured on the edges", decimal(-3, 6)),
  };
  const defaults = Object.fromEntries(Object.entries(fields).map(([key, { initial }]) => [key, initial]));
  const evaluate = (setting) => Object.fromEntries(Object.entries(rows).map(([key, { value }]) => [key, value(setting)]));
  const readings = (setting) => Object.fromEntries(Object.entries(rows).map(([key, { value, reading }]) => {
    const found = value(setting), words = reading(setting, found);
    return [key, [words.startsWith("does not apply:") ? "none" : show(found), words]];
  }));

  const problem = (key, value, setting) => { // why a value is refused, or nothing
    const { symbol, words, whole, min: low, max: high } = fields[key], name = `${symbol} (${words})`;
    if (!Number.isFinite(value) || (whole && !Number.isInteger(value)) || value < low || value > high)
      return `${name} must be a ${whole ? "whole number" : "number"} from ${low} to ${high}.`;
    const { s, k } = { ...setting, [key]: value };
    return k > s ? `${name} breaks the rule k ≤ s: of ${s} neurons at most ${s} are active at once, not ${k}.` : "";
  };
  const write = (setting) => "#" + Object.entries(setting).map(([key, value]) => `${key}=${value}`).join("&");
  const read = (fragment) => { // what is missing or refused keeps its initial value
    const asked = new URLSearchParams(fragment.replace(/^#/, "")), setting = { ...defaults };
    for (const key of Object.keys(fields)) {
      const value = asked.get(key) ? Number(asked.get(key)) : NaN;
      if (!problem(key, value, { s: Infinity, k: 0 })) setting[key] = value;
    }
    return setting.k > setting.s ? { ...setting, k: setting.s } : setting;
  };
  const nearest = ({ stops }, value) =>
    stops.reduce((best, stop, i) => Math.abs(log((stop + 1e-9) / (value + 1e-9))) < Math.abs(log((stops[best] + 1e-9) / (value + 1e-9))) ? i : best, 0);

  const start = () => {
    const places = [...document.querySelectorAll("[data-fields]")];
    if (!places.length) return;
    let setting = read(location.hash), timer;

    for (const place of places)
      place.innerHTML = place.dataset.fields.split(" ").map((key) => {
        const { symbol, words, stops, whole, min: low, max: high } = fields[key];
        return `<div class="bound-field"><label for="field-${key}"><var>${symbol}</var>, ${words}</label>
          <input type="range" id="slider-${key}" data-key="${key}" min="0" max="${stops.length - 1}" step="1" aria-label="${symbol}, ${words}: slider">
          <input type="number" id="field-${key}" data-key="${key}" min="${low}" max="${high}" step="${whole ? 1 : "any"}" aria-describedby="bounds-message"></div>`;
      }).join("");
    const first = places[0];
    first.insertAdjacentHTML("beforeend", `<button type="button" class="bound-reset">Reset</button>
      <p id="bounds-message" role="alert"></p><p id="bounds-summary" aria-live="polite"></p>`);
    first.closest("section")?.after(first); // out of its section, so that it stays in sight through the following ones
    const message = document.getElementById("bounds-message"), summary = document.getElementById("bounds-summary");
    const input = (kind, key) => document.getElementById(`${kind}-${key}`);

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
      for (const cell of document.querySelectorAll("[data-row]")) {
        const [value, reading] = shown[cell.dataset.row];
        cell.textContent = value;
        const words = document.querySelector(`[data-reading="${cell.dataset.row}"]`);
        words.textContent = reading;
        const vacuous = /^(vacuous|not|does|says|false)/.test(reading);
        words.classList.toggle("vacuous", vacuous);
        words.classList.toggle("informative", !vacuous);
      }
      clearTimeout(timer);
      timer = setTimeout(() => { // one announcement and one address for a movement, not one for each step
        const degrees = ["paper.theorem_8_degree printed", "paper.theorem_8_degree repaired", "ours.theorem_8_degree"].map((key) => shown[key][0]);
        const easy = 2 * setting.eps >= paper.sup_norm(setting.n, setting.k, setting.W, setting.B) ** 2;
        summary.textContent = `Degree of Theorem 8: ${degrees[0]} as printed, ${degrees[1]} repaired, ${degrees[2]} here; n = ${setting.n}.`
          + (easy ? " At so large an ε the zero function suffices." : "");
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
    first.querySelector(".bound-reset").addEventListener("click", () => { setting = { ...defaults }; update(); });
    addEventListener("hashchange", () => { if (location.hash.includes("=")) { setting = read(location.hash); update(); } });
    update({ moved: false });
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();

  return { basis_size, paper, ours, raised, fields, defaults, evaluate, readings, show, problem, read, write };
})();
