// The mathematics of the pages that compute: bounds, networks on the cube, risks, labels, under the names of
// sparse_core (tests/site compares the values). It is loaded before the scripts that show them.
const sparse = (() => {
  const { abs, ceil, cbrt, exp, expm1, floor, hypot, log, log1p, log2, max, min, sqrt } = Math;
  const range = (m) => [...Array(m).keys()];
  const sum = (values) => values.reduce((total, value) => total + value, 0);

  // --- sparse_core.bounds ---

  const TAILS = 8;
  const LOSS = TAILS / 2;
  const SECOND_ORDER = ((4 / 0.233) * 2 * 3.83) / 3 ** 1.5;

  const binomial = (n, p) => range(p).reduce((value, i) => (value * (n - p + i + 1)) / (i + 1), 1);
  const basis_size = (n, d) => {
    if (d >= n) return 2 ** n;
    let term = 1, total = 1;
    for (let i = 1; i <= d; i++) total += term *= (n - i + 1) / i;
    return total;
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
    average_sensitivity_depth: (W, k, s, D) => min(2 * k, s) ** (D + 1) * W ** (2 * D), // of equal layers
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
      const r = ceil(log2(2 / delta)), selection = ours.selection_constant(TAILS / 2, TAILS);
      return ((C * C) / eps) * (basis_size(n, d) * r + selection * log((2 * r) / delta));
    },
    theorem_8_degree: (eps, W, k, s) => ours.degree(eps / LOSS, W, k, s),
    theorem_8_samples(n, s, k, W, B, eps, delta) {
      const d = ours.theorem_8_degree(eps, W, k, s);
      return ours.lemma_7(n, d, paper.sup_norm(n, k, W, B), eps / LOSS, delta);
    },
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
      for (let L = 1; L <= last; L++) {
        const words = 4 * sqrt(2) * sqrt(log(4 * m * L) + 0.5);
        bracket = min(bracket, 1 + 2 ** (1 - L / 2) * sqrt(share) + words);
      }
      return sqrt((s * k) / m) * bracket;
    },
    rademacher_mean: (m, s, mean, W, B, R) => (W * R + B) * ours.rate(m, s, mean),
    rademacher(m, s, k, W, B, R, form) {
      const M = W * R + B, rate = ours.rate(m, s, k);
      return { joint: M * rate, separated: (k * M) / sqrt(m) + 2 * W * R * rate, trivial: k * M }[form];
    },
    theorem_17(n, s, k, W, B, R, eps, delta) {
      const kM = k * (W * R + B), nets = s * (n + 1) * log(1 + (4 * kM) / sqrt(eps)) + s * log(2);
      return ((4 * kM * kM) / eps) * (nets + log(1 / delta));
    },
  };

  const bucketed = (r, n, s, k, W, B) =>
    paper.lemma_9(r, s, k, W * sqrt(paper.bucket_norm(n, s, r)), B, "repaired") / r;

  const paper = {
    claim_2_1_tail: (ns, rho, d) => (2 * ns) / (1 - rho ** d),
    lemma_7: (n, d, C, eps, delta) => (n ** d * C * C * log(1 / delta)) / eps,
    boundary_probability: (n, s, k) => ((4 * s) / n) * ours.lemma_6(min(k / s, exp(-1 / 2)), n),
    threshold: (n, s, k, W, B) => k * W * sqrt(2 * (log(2 * s) + 4 * log(n * s))) + k * B,
    sup_norm: (n, k, W, B) => k * (W * sqrt(n) + B),
    lemma_9(n, s, k, W, B, form) {
      if (form === "printed") return k ** 4 * W * W * sqrt(n) * log(n * s) + k ** 3 * B * B * sqrt(log(s));
      const P = paper.boundary_probability(n, s, k), C = paper.sup_norm(n, k, W, B);
      return (k * W) ** 2 + n * (P * paper.threshold(n, s, k, W, B) ** 2 + (n * s) ** -4 * C * C);
    },
    bucket_norm: (n, s, r) => 8 * log(n * s * r) + (n * s * r) ** -2,
    lemma_10(n, s, k, W, B, rho, form) {
      if (form === "repaired") return bucketed(floor((2 / (1 - rho)) * (1 + 1e-12)), n, s, k, W, B);
      return sqrt(1 - rho) * (k ** 4 * W * W * log((n * s) / (1 - rho)) ** 2 + k ** 3 * B * B * sqrt(log(s)));
    },
    theorem_8_degree(n, s, k, W, B, eps, form) {
      if (form === "printed")
        return (k ** 8 * W ** 4 * log(n * s) ** 4 + k ** 6 * B ** 4 * log(s)) / (eps * eps);
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
      if (form === "printed")
        return (M * M * k * s * n * log((k * (R + B)) / eps) + log(1 / delta)) / (eps * eps);
      const excess = (m) => paper.lemma_18(k * M, paper.eq_15(m, n, s, k, W, B, R, form), m, delta);
      return least((m) => excess(m) <= eps, 1);
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

  // --- Networks on the cube: h(x) = copies * sum u relu(<w, x> - b) over the neurons { u, w, b } ---

  const bits = (T) => { // the number of ones
    let count = 0;
    for (; T; T &= T - 1) count++;
    return count;
  };
  const sign = (i, j) => 1 - 2 * ((i >> j) & 1);
  const point = (n, i) => range(n).map((j) => sign(i, j)); // point 0 is (1, ..., 1)
  const edges = (n) =>
    range(1 << n).flatMap((i) => range(n).filter((j) => !((i >> j) & 1)).map((j) => [i, i | (1 << j)]));
  const inner = (n, w) => { // <w, x> at all points: each differs from an earlier one in its lowest bit
    const z = new Float64Array(1 << n);
    z[0] = sum(w);
    for (let i = 1; i < z.length; i++) z[i] = z[i & (i - 1)] - 2 * w[31 - Math.clz32(i & -i)];
    return z;
  };
  const walsh = (values) => { // the transform of Walsh and Hadamard: n 2^n additions
    const f = Float64Array.from(values), N = f.length;
    for (let step = 1; step < N; step *= 2) {
      for (let i = 0; i < N; i++) {
        if (!(i & step)) [f[i], f[i + step]] = [f[i] + f[i + step], f[i] - f[i + step]];
      }
    }
    return [...f];
  };
  const evaluate = ({ n, neurons, copies = 1 }, degree = 0) => {
    const N = 1 << n, h = Array(N).fill(0), active = range(N).map(() => []), weights = Array(n + 1).fill(0);
    neurons.forEach(({ u, w, b }, j) => inner(n, w).forEach((z, i) => {
      if (!(z > b)) return;
      h[i] += copies * u * (z - b);
      active[i].push(j);
    }));
    const k = copies * max(...active.map((list) => list.length));
    const W = max(0, ...neurons.map(({ u }) => abs(u))) * max(0, ...neurons.map(({ w }) => hypot(...w)));
    const coefficients = walsh(h).map((value) => value / N);
    coefficients.forEach((value, T) => { weights[bits(T)] += value ** 2; });
    return {
      h, active, k, W, weights,
      AS: sum(weights.map((weight, d) => d * weight)),
      bound: ours.average_sensitivity(W, k),
      near: walsh(coefficients.map((value, T) => (bits(T) <= degree ? value : 0))),
      error: sum(weights.slice(degree + 1)), // of the best polynomial of that degree, squared, in the mean
    };
  };

  // --- Risks of low-degree learning from m samples, by the Fourier weights at each degree ---

  const cut = (weights, d) => [sum(weights.slice(0, d + 1)), sum(weights.slice(d + 1))];
  const averaging_risk = (weights, d, m) => {
    const [below, above] = cut(weights, d);
    return above + (basis_size(weights.length - 1, d) * (below + above) - below) / m;
  };
  const least_squares_risk = (weights, d, m) => { // not a number unless m > D + 1
    const above = cut(weights, d)[1], D = basis_size(weights.length - 1, d);
    return m > D + 1 ? above + (above * D) / (m - D - 1) : NaN;
  };

  // --- Learning with rounding: the label of each t mod q, as Definition 15 is printed and by rounding ---

  const lwr_label = {
    printed: (p, q) => range(q).map((t) => t % p),
    lwr: (p, q) => range(q).map((t) => floor((2 * p * t + q) / (2 * q)) % p),
  };

  // --- Numbers as words ---

  const raised = (power) =>
    String(power).replace(/./g, (digit) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(digit)]);
  const show = (value, digits = 4) => {
    if (Number.isNaN(value)) return "none";
    if (!Number.isFinite(value)) return value > 0 ? "beyond 10³⁰⁸" : "below −10³⁰⁸";
    const size = abs(value);
    if (size && (size < 1e-3 || size >= 1e6)) {
      const [factor, power] = value.toExponential(2).split("e");
      return `${factor.replace("-", "−")}·10${raised(Number(power))}`;
    }
    const rounded = size < 1e4 ? Number(value.toPrecision(digits)) : Math.round(value);
    return String(rounded).replace("-", "−").replace(/^(−?\d{2,3})(\d{3})$/, "$1\u202f$2");
  };
  return {
    LOSS, basis_size, least, ours, paper, range, sum, bits, sign, point, edges, inner, evaluate, cut,
    averaging_risk, least_squares_risk, lwr_label, raised, show,
  };
})();
