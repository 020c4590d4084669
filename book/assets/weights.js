// The page "Your weights": files are chosen, a worker measures them (weights-worker.js), and this draws what it
// finds. Nothing is sent anywhere: the worker is made of the text of this page's own script.
const weights = (() => {
  const { ceil, floor, log10, max, min, round, sqrt } = Math;

  // --- Words and numbers ---

  const THIN = "\u202f"; // between the groups of digits, and before the sign of per cent
  const escape = (text) => String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const show = (x, digits) => { // of a whole number below ten million all digits
    if (!Number.isInteger(x) || x >= 1e7) return sparse.show(x, digits);
    return x < 1e4 ? String(x) : String(x).replace(/\B(?=(\d{3})+$)/g, THIN);
  };
  const percent = (x) => `${show(100 * x, 3)}${THIN}%`;
  const table = (title, header, rows) => `<div class="pst-scrollable-table-container"><table class="table numbers${header.length > 4 ? " many" : ""}"><caption>${title}</caption>
    <thead><tr>${header.map((name) => `<th scope="col">${name}</th>`).join("")}</tr></thead>
    <tbody>${rows.map(([head, ...cells]) => `<tr><th scope="row">${head}</th>${cells.map((cell, i) => `<td data-name="${header[i + 1]}">${cell}</td>`).join("")}</tr>`).join("")}</tbody></table></div>`;

  // --- Drawings, as wide as their place ---

  const SPACE = { right: 14, top: 22, bottom: 40 };
  const LETTER = 8; // the width of a letter or a digit, at most
  const leftOf = (most) => 14 + LETTER * show(most).length; // room for the numbers beside the axis
  const ticks = (top) => { // whole numbers up to about so many
    const step = [1, 2, 5].map((one) => one * 10 ** max(0, floor(log10(max(1, top) / 2)))).reverse().find((one) => one * 2 <= max(2, top)) ?? 1;
    return Array.from({ length: floor(top / step) + 1 }, (_, i) => i * step);
  };
  const frame = (width, height, alt, inside) => `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(alt)}">${inside}</svg>`;
  const text = (x, y, words, anchor = "middle", kind = "") => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" class="${kind}">${escape(words)}</text>`;
  const inside = (x, y, words, width, kind = "") => { // centred, but moved where it would leave the drawing
    const half = (LETTER * words.length) / 2;
    return text(min(max(x, half), width - half), y, words, "middle", kind);
  };
  const line = (x1, y1, x2, y2, kind) => `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" class="${kind}"/>`;

  // Bars of the histogram, at most: each is then some pixels wide on a phone.
  const BARS = 40;
  const groups = (histogram) => { // the histogram in groups of equal width
    const low = histogram.findIndex(Boolean), high = histogram.findLastIndex(Boolean), width = ceil((high + 1 - low) / BARS), found = [];
    for (let start = low; start <= high; start += width) {
      const end = min(start + width, histogram.length) - 1;
      found.push([start, end, histogram.slice(start, end + 1).reduce((total, count) => total + count, 0)]);
    }
    return found;
  };
  const named = (start, end) => (start === end ? show(start) : `${show(start)} to ${show(end)}`);
  const histogram = (found, width) => {
    const bars = groups(found.histogram), height = 314, from = bars[0][0] - 0.5, to = bars[bars.length - 1][1] + 0.5, most = max(...bars.map(([, , count]) => count));
    const left = leftOf(most), foot = height - SPACE.bottom - 62, x = (value) => left + ((value - from) / (to - from)) * (width - left - SPACE.right), y = (value) => foot - (value / most) * (foot - SPACE.top);
    const spread = sqrt(found.variance), alone = sqrt(found.independent_variance), mean = found.mean_active;
    const whisker = (deviation, at, kind, words) => {
      const [a, b] = [max(x(from), x(mean - deviation)), min(x(to), x(mean + deviation))];
      return line(a, at, b, at, kind) + line(a, at - 4, a, at + 4, kind) + line(b, at - 4, b, at + 4, kind) + inside(x(mean), at - 8, words, width, kind);
    };
    const axis = [...new Set([bars[0][0], ...ticks(to).filter((one) => one > from && one < to), bars[bars.length - 1][1]])].sort((a, b) => a - b);
    const room = LETTER * show(to).length + 8, end = axis[axis.length - 1];
    const kept = axis.filter((one, i) => (i === 0 && x(end) - x(one) > 1.5 * room) || one === end || (x(one) - x(axis[0]) > room && x(end) - x(one) > 1.5 * room));
    const description = `Histogram of the number of active neurons: from ${show(bars[0][0])} to ${show(found.max_active)} of ${show(found.s)}, mean ${show(mean)}, standard deviation ${show(spread)}; if the neurons were independent, ${show(alone)}.`;
    return frame(width, height, description, bars.map(([first, last, count]) => {
      const edge = x(first - 0.5), gap = x(last + 0.5) - edge > 5 ? 1 : 0;
      return `<rect x="${edge.toFixed(1)}" y="${y(count).toFixed(1)}" width="${max(0.5, x(last + 0.5) - edge - gap).toFixed(1)}" height="${(foot - y(count)).toFixed(1)}"/>`;
    }).join("") + line(left, foot, width - SPACE.right, foot, "axis")
      + text(left - 6, y(most) + 4, show(most), "end") + text(left - 6, foot, "0", "end") + text(4, 12, "inputs", "start")
      + line(x(mean), SPACE.top - 4, x(mean), foot, "mark") + inside(max(x(mean), 110), 12, `mean ${show(mean)}`, width)
      + kept.map((one) => inside(x(one), foot + 16, show(one), width)).join("") + text((left + width) / 2, foot + 34, "neurons active at once")
      + whisker(spread, foot + 62, "measured", "± standard deviation") + whisker(alone, foot + 92, "trivial", "± if independent"));
  };
  const batches = (found, width) => { // neurons that a batch uses, over the number of its inputs on a logarithmic scale
    const height = 210, { union, s } = found, left = leftOf(s), foot = height - SPACE.bottom, last = max(1, union.length - 1);
    const x = (i) => left + (i / last) * (width - left - SPACE.right - 30), y = (value) => foot - (value / s) * (foot - SPACE.top), end = union[union.length - 1];
    const description = `Expected number of neurons that a batch uses: ${union.map(({ batch, used }) => `${show(used)} of ${show(s)} for ${show(batch)}`).join(", ")}.`;
    return frame(width, height, description, `<polyline class="mean" points="${union.map(({ used }, i) => `${x(i).toFixed(1)},${y(used).toFixed(1)}`).join(" ")}"/>`
      + line(left, foot, x(last), foot, "axis") + text(left - 6, y(s) + 4, show(s), "end") + text(left - 6, foot, "0", "end") + text(4, 12, "neurons used", "start")
      + union.map(({ batch }, i) => (i % 2 && end.batch !== batch ? "" : inside(x(i), foot + 16, show(batch), width))).join("") + text((left + width) / 2, foot + 34, "inputs in the batch"));
  };

  // --- The report ---

  const RULE_OF_THREE = 3; // a share of 0 among m independent inputs excludes, at 5 %, a probability above this number / m

  const sentence = (found) => `At most ${show(found.max_active)} of ${show(found.s)} neurons are active at once, ${show(found.mean_active)} on average; ${show(found.dead)} are dead, ${show(found.always_on)} always on.`;
  const facts = (found) => [
    ["active at once, at most", show(found.max_active), `of ${show(found.s)} neurons`], ["active on average", show(found.mean_active), percent(found.mean_active / found.s)],
    ["dead", show(found.dead), "active at none of these inputs"], ["always on", show(found.always_on), "active at all of them"], ["dynamic", show(found.dynamic), "active at some of them"],
    ["work saved", percent(found.saved["skip neurons"]), "of the multiply-adds, if the active ones are known"],
  ].map(([name, value, more]) => `<div><dt>${name}</dt><dd><b>${value}</b> <span>${more}</span></dd></div>`).join("");
  const report = (state) => {
    const { measured } = state, found = measured.report, several = found.coactivation !== null;
    const outputs = found.outputs === null ? "" : `, ${show(found.outputs)} outputs`, size = found.n === null ? "" : `, ${show(found.n)} inputs${outputs}`;
    const saved = Object.entries(found.saved).filter(([, share]) => share !== null).map(([name, share]) => [name, percent(share)]);
    const shape = !several ? "" : found.coactivation > 1.25 ? "More than 1: neurons fire together." : found.coactivation < 0.8 ? "Less than 1: they take turns." : "That is near 1, as for independent neurons.";
    return `<p>Measured on ${measured.words}. ${found.notes.map(escape).join(" ")} ${escape(found.active_means)}</p>
      <p>Layer <b>${escape(measured.layers[measured.index].name)}</b>: ${show(found.s)} neurons${size}, ${found.gated ? "gated " : ""}${escape(found.unit)}.</p>
      <dl class="weights-facts">${facts(found)}</dl>
      ${found.dead ? `<p>If the inputs are independent, a neuron seen dead is active with probability at most ${show(min(1, RULE_OF_THREE / found.inputs), 2)} (95${THIN}% confidence, for each neuron alone).</p>` : ""}
      <h3>How many at once</h3><div data-drawing="histogram"></div>
      ${several ? `<p>The number active has variance ${show(found.variance)}, ${show(found.coactivation, 3)} times that of independent neurons with the same rates (${show(found.independent_variance)}). ${shape}</p>` : ""}
      <details><summary>The histogram, as a table</summary>${table("Histogram of the number active", ["active neurons", "inputs"], groups(found.histogram).map(([start, end, count]) => [named(start, end), show(count)]))}</details>
      <h3>In a batch</h3><p>Neurons that at least one input of a batch uses, if it is drawn from these inputs without replacement.</p><div data-drawing="batches"></div>
      <details><summary>The same, as a table</summary>${table("Neurons that a batch uses, expected", ["inputs in the batch", "neurons", "share"], found.union.map(({ batch, used }) => [show(batch), show(used), percent(used / found.s)]))}</details>
      <h3>Work saved</h3>${table("Share of the layer’s multiply-adds that is saved", ["by", "share"], saved)}
      <p>“Skip outputs”: all pre-activations are computed and the inactive neurons are left out of what follows. “Skip neurons”: the active ones are known before, as by a predictor.</p>
      ${found.scale ? `<p>Scale (Definition 2): <i>W</i> = ${show(found.scale.W)}, <i>B</i> = ${show(found.scale.B)}; with balanced weights <i>W</i> = ${show(found.balanced_W)}. Largest norm of an input: <i>R</i> = ${show(found.R)}.
      <a href="calculator.html#${setting(found)}">These numbers in the calculator</a></p>` : ""}`;
  };
  const setting = ({ n, s, max_active: k, mean_active: a, balanced_W: W, scale, R, inputs }) => new URLSearchParams({ n, s, k: max(1, k), W: W.toPrecision(4), B: scale.B.toPrecision(4), m: inputs, R: R.toPrecision(4), a: a.toPrecision(4) });

  // --- The page ---

  const state = { network: null, inputs: null, measured: null, problem: "" };
  const start = () => {
    const box = document.getElementById("weights");
    if (!box) return;
    const find = (name) => document.getElementById(`weights-${name}`), result = find("result"), status = find("status"), bar = find("progress");
    let worker = null, running = null, before = 0;

    const draw = () => { // what depends on the width
      if (!state.measured) return;
      const width = max(300, min(720, result.clientWidth));
      for (const place of result.querySelectorAll("[data-drawing]"))
        place.innerHTML = { histogram, batches }[place.dataset.drawing](state.measured.report, width);
    };
    const progress = (share) => {
      const words = share ? "Counting active neurons" : "Reading the file";
      bar.setAttribute("aria-valuenow", round(100 * share));
      bar.setAttribute("aria-valuetext", `${words}, ${round(100 * share)} per cent`);
      bar.firstElementChild.style.width = `${100 * share}%`;
      find("phase").textContent = `${words}: ${round(100 * share)}${THIN}%`;
    };
    const stop = (words) => {
      worker?.terminate();
      worker = null;
      box.classList.remove("running");
      result.removeAttribute("aria-busy");
      find("cancel").disabled = true;
      find("phase").textContent = words;
    };
    const complain = (words) => {
      state.problem = words;
      find("problem").textContent = words;
    };
    const layerList = ({ layers, index }) => {
      const select = find("layer");
      select.innerHTML = layers.map(({ name, s, n }, i) => `<option value="${i}">${escape(name)}: ${show(s)} neurons${n === null ? "" : `, ${show(n)} inputs`}</option>`).join("");
      select.value = index;
      select.disabled = layers.length < 2;
    };
    const hear = ({ data }) => {
      if (data.kind === "progress") return progress(data.share);
      if (data.kind === "layers") return layerList(data);
      if (data.kind === "measured") {
        state.measured = data;
        layerList(data);
        result.innerHTML = report(state);
        draw();
        status.textContent = sentence(data.report);
        document.getElementById("the-report").scrollIntoView({ block: "start" });
        progress(1);
        stop(`Done in ${show((performance.now() - before) / 1000, 2)} s. Nothing left this machine.`);
      } else {
        stop("");
        result.innerHTML = "<p>Nothing was measured.</p>";
        complain(data.words);
      }
    };
    const measure = () => {
      complain("");
      if (!state.network) return stop("Now choose a network.");
      stop("");
      state.measured = null;
      before = performance.now();
      box.classList.add("running");
      result.setAttribute("aria-busy", "true");
      find("cancel").disabled = false;
      const kind = find("unit").value, unit = kind && kind.endsWith(":") ? kind + find("parameter").value : kind;
      running ??= URL.createObjectURL(new Blob([`const answer = (${weightsWorker})(); onmessage = ({ data }) => answer(data, postMessage);`], { type: "text/javascript" }));
      worker = new Worker(running);
      worker.onmessage = hear;
      worker.onerror = (problem) => { stop(""); complain(`The worker stopped: ${problem.message}`); };
      progress(0);
      worker.postMessage({ network: state.network, inputs: state.inputs, layer: Number(find("layer").value || 0), arrays: find("arrays").value.trim(), unit });
    };
    const choose = (kind, file) => {
      if (kind === "network") { // what was chosen for the last one means nothing for this one
        for (const name of ["layer", "arrays"]) find(name).value = "";
        find("layer").innerHTML = "";
      }
      state[kind] = file;
      find(`${kind}-name`).textContent = file ? `${file.name}, ${file.size >= 1e6 ? `${show(file.size / 1e6, 3)} MB` : `${show(max(0.1, file.size / 1000), 2)} kB`}` : kind === "inputs" ? "none: uniform bits" : "none";
      find("without").hidden = !state.inputs;
    };
    for (const kind of ["network", "inputs"]) find(kind).addEventListener("change", ({ target }) => {
      if (target.files.length) choose(kind, target.files[0]);
      target.value = ""; // so that the same file, changed, can be chosen again
      measure();
    });
    const example = (kind) => {
      const link = document.querySelector(`a[download="${kind}"]`), bytes = Uint8Array.from(atob(link.href.split(",")[1]), (sign) => sign.charCodeAt(0));
      return new File([bytes], kind);
    };
    find("example").hidden = !document.querySelector('a[download="network.npz"]');
    find("example").addEventListener("click", () => {
      choose("network", example("network.npz"));
      choose("inputs", example("X.npy"));
      measure();
    });
    find("cancel").addEventListener("click", () => { stop("Cancelled."); status.textContent = "Cancelled."; find("cancel").blur(); });
    find("without").addEventListener("click", () => { choose("inputs", null); if (state.network) measure(); });
    find("form").addEventListener("submit", (event) => event.preventDefault());
    for (const name of ["layer", "arrays", "unit", "parameter"]) find(name).addEventListener("change", () => {
      find("parameter").disabled = !find("unit").value.endsWith(":");
      if (state.network) measure();
    });
    addEventListener("resize", draw);
  };
  addEventListener("DOMContentLoaded", start);

  return { state };
})();
