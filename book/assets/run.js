// The code cells of a page, run in the reader's browser: Pyodide in a worker. `make.py live` adds this script
// to the pages that can run, and to _static/run/ what they load: base64 in scripts: a page from a disk may
// read nothing else. Nothing is loaded before the button is used; the policy of the page lets nothing out.
(() => {
  const { src, dataset: { page, smaller, needs, size } } = document.currentScript;
  const boxes = [...document.querySelectorAll(".bd-article div.cell")];
  const element = (tag, facts, ...parts) => {
    const made = Object.assign(document.createElement(tag), facts);
    made.append(...parts);
    return made;
  };

  // --- The worker: this function is its script, and sees nothing of the page ---

  const inWorker = () => {
    let python, in_browser, cells;
    const begin = async ({ files, packages, env }) => {
      const take = (name) => { // each is read once, and its memory given back
        const bytes = files[name];
        delete files[name];
        return bytes;
      };
      self.fetch = async (asked) => {
        const name = decodeURIComponent(String(asked.url ?? asked).split("/").pop());
        if (!files[name]) throw new Error(`${name} is not in this book`);
        const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
        return new Response(take(name), { headers: { "Content-Type": type } });
      };
      python = await self.loadPyodide({ indexURL: "https://offline.invalid/", env });
      await python.loadPackage(packages, { messageCallback() {} });
      const extractDir = python.runPython("import site; site.getsitepackages()[0]");
      python.unpackArchive(take("ours.zip").buffer, "zip", { extractDir });
      in_browser = python.pyimport("companion.building.in_browser");
      cells = in_browser.Cells();
      return {};
    };
    const save = (saved) => {
      for (const [name, content] of Object.entries(saved)) python.FS.writeFile(name, new Uint8Array(content));
      return { sources: JSON.parse(in_browser.sources(...Object.keys(saved))) };
    };
    const run = ({ source, printed }) => JSON.parse(cells.answer(source, printed));
    self.onmessage = async ({ data }) => {
      const from = performance.now();
      try {
        const answer = data.files ? await begin(data) : data.saved ? save(data.saved) : run(data);
        postMessage({ ...answer, seconds: (performance.now() - from) / 1000 });
      } catch (error) { postMessage({ broken: String(error.message ?? error) }); }
    };
  };

  // --- The page ---

  const NO_WORKER = "this browser lets the page start no worker";
  const bar = element("div", { className: "run-bar" }), words = element("p", {});
  document.querySelector(".bd-article h1").after(bar);
  if (needs) return void bar.append(element("p", {}, `This page does not run in the browser: ${needs}.`));
  const button = element("button", { type: "button", textContent: "Run this page" });
  const progress = element("progress", { ariaLabel: "Progress" });
  const part = smaller ? `With ${smaller}, a smaller run: what differs by it is not compared.` : "";
  const phone = matchMedia("(pointer: coarse) and (max-width: 60rem)").matches;
  const warned = phone ? "A phone may close the page: it has too little memory." : "";
  words.textContent = `Python runs here, offline, and compares its numbers with those printed; it takes
    ${size} MB of files and 1.2 GB of memory. ${part} ${warned}`;
  words.setAttribute("role", "status");
  bar.append(button, words);

  let worker, cells, yours = [], started, turn = 0; // a turn ends with its worker

  const bytes = async (name) => {
    const script = element("script", { src: new URL(`run/${name}.js`, src) });
    const missing = () => new Error(`${name} is missing beside this page`);
    await new Promise((onload, fail) => {
      document.head.append(Object.assign(script, { onload, onerror: () => fail(missing()) }));
    });
    script.remove();
    const packed = await fetch(`data:application/gzip;base64,${window.runFiles[name]}`);
    delete window.runFiles[name];
    const unpacked = packed.body.pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(unpacked).arrayBuffer());
  };
  const read = async (name) => JSON.parse(new TextDecoder().decode(await bytes(name)));
  const ask = async (message, moved = []) => {
    const { broken, ...answer } = await new Promise((answered) => {
      worker.onmessage = ({ data }) => answered(data);
      worker.onerror = (event) => answered({ broken: event.message ?? NO_WORKER }); // a policy says nothing
      worker.postMessage(message, moved);
    });
    if (broken) throw new Error(broken);
    return answer;
  };

  // The line of a cell: what came of it; opened, its new outputs, and its source to edit

  const KINDS = {
    same: "same numbers as printed", silent: "nothing is printed, and nothing came",
    differs: "differs from what is printed", failed: "failed",
    free: "differs, as it may on another machine", smaller: "smaller run, not compared", yours: "your file",
  };
  const changed = ({ line, source }) => line && line.source.value !== source;
  const lineOf = (cell) => {
    const { source: value, name, place } = cell, rows = Math.min(value.split("\n").length + 1, 24);
    const ariaLabel = `Code of ${name}`, onclick = () => rerun(cell);
    const onkeydown = (event) => { // as in a notebook
      if (event.key !== "Enter" || !(event.shiftKey || event.ctrlKey)) return;
      event.preventDefault();
      again.click(); // unless it is disabled, while Python is busy
    };
    const source = element("textarea", { value, rows, spellcheck: false, ariaLabel, onkeydown });
    const again = element("button",
      { type: "button", textContent: "Run this cell", title: "Shift+Enter", onclick });
    const heading = element("summary", {}, "Edit this cell");
    const edit = element("details", { className: "run-edit" }, heading, source, again);
    const id = `run-${name.replaceAll(" ", "-")}`;
    const shown = element("figure", { id }), summary = element("summary", {});
    const box = element("details", {}, summary, shown, edit);
    place.append(box);
    return { box, summary, shown, source, again };
  };
  const output = ({ "text/plain": text, "text/html": html }) => (html
    ? element("div", { innerHTML: html.replace(/(id|for)="(slider-\w+)"/g, '$1="$2-run"') })
    : element("pre", { textContent: text }));
  const run = async (cell) => {
    const { box, summary, shown, source } = cell.line ??= lineOf(cell), at = cells.indexOf(cell);
    const answer = await ask({ source: source.value, printed: JSON.stringify(cell.printed) });
    if (answer.kind === "differs" && cell.free) answer.kind = "free";
    if (answer.kind === "differs" && smaller) Object.assign(answer, { kind: "smaller", words: smaller });
    if (answer.kind !== "failed" && at < 0) Object.assign(answer, { kind: "yours", words: cell.name });
    const details = answer.kind === "silent" ? "" : ` (${answer.words})`;
    const edited = cells.slice(0, at + 1).some(changed) ? "your version: " : "";
    summary.textContent = `${edited}${KINDS[answer.kind]}${details}, ${answer.seconds.toFixed(1)} s`;
    box.className = `run-cell ${edited && answer.kind === "differs" ? "edited" : answer.kind}`; // no alarm
    box.open ||= !["same", "silent", "smaller"].includes(answer.kind);
    shown.replaceChildren(...answer.outputs.map(output));
    shown.dispatchEvent(new CustomEvent("outputs", { bubbles: true })); // its sliders begin to move
    cell.kind = answer.kind;
    return summary.textContent;
  };

  // The whole page

  const seconds = () => `${((performance.now() - started) / 1000).toFixed(0)} s`;
  const tally = () => {
    const count = (kind) => (cells ?? []).filter((cell) => cell.kind === kind).length;
    const found = Object.keys(KINDS).filter(count).map((kind) => `${KINDS[kind]} in ${count(kind)}`);
    return found.join(", ") || "no cell ran";
  };
  const state = (name, action, sentence) => {
    bar.dataset.state = name;
    button.textContent = action;
    words.textContent = sentence;
    for (const { line } of [...cells ?? [], ...yours]) if (line) line.again.disabled = name !== "ready";
    for (const asks of document.querySelectorAll("#your-files button")) asks.disabled = name === "running";
    if (name !== "running") progress.remove();
  };
  const busy = (sentence) => {
    started = performance.now();
    state("running", "Stop", sentence);
  };
  const WAITS = "Python waits for cells that you edit; closed, it gives its memory back.";
  const ready = (sentence) => state("ready", "Close Python", `${sentence} ${WAITS}`);
  const end = (sentence) => {
    worker?.terminate();
    worker = null;
    turn += 1;
    state("ended", "Run this page again", sentence);
  };
  const guarded = async (work) => { // what fails ends with one sentence
    const mine = turn;
    try { await work(() => mine === turn); } catch ({ message }) {
      const why = /memory|allocat/i.test(message) ? "the browser gave it less memory than 1.2 GB" : message;
      if (mine === turn) end(`Python stopped: ${why}. The page is as it was.`);
    }
  };
  const rerun = (cell) => guarded(async (going) => {
    busy(`Running ${cell.name}`);
    const said = await run(cell);
    if (going()) ready(`${cell.name}: ${said}.`.replace(/^./, (letter) => letter.toUpperCase()));
  });
  const boot = async (going) => {
    if (!self.WebAssembly) throw new Error("this browser has no WebAssembly");
    if (!self.DecompressionStream) throw new Error("this browser is too old to unpack files");
    const { files, ...options } = await read("plan.json"), got = {};
    const placed = (cell, at) => ({ ...cell, name: `cell ${at + 1}`, place: boxes[at] });
    cells ??= (await read(`${page}.json`)).map(placed);
    bar.append(progress);
    Object.assign(progress, { value: 0, max: files.length + cells.length });
    for (const name of files) {
      got[name] = await bytes(name);
      if (!going()) return;
      progress.value += 1;
    }
    const loaders = ["pyodide.asm.js", "pyodide.js"].flatMap((name) => [got[name], "\n;"]);
    const url = URL.createObjectURL(new Blob([...loaders, `(${inWorker})()`], { type: "text/javascript" }));
    try { worker = new Worker(url); } catch { throw new Error(NO_WORKER); }
    words.textContent = "Starting Python";
    await ask({ files: got, ...options }, Object.values(got).map(({ buffer }) => buffer));
    URL.revokeObjectURL(url);
  };
  const start = () => guarded(async (going) => {
    busy("Reading the files");
    await boot(going);
    if (!going()) return;
    for (const cell of cells) {
      words.textContent = `Running the cells: ${cell.name}${changed(cell) ? ", your version" : ""}`;
      await run(cell);
      if (!going()) return;
      progress.value += 1;
    }
    ready(`All cells ran in ${seconds()}: ${tally()}.`);
  });
  // For the script of a page that takes files: they are saved beside Python, which answers with the cells
  // that read them, and the cells run below `place`
  window.runYours = (saved, place) => guarded(async (going) => {
    busy("Reading the files");
    if (!worker) await boot(going);
    if (!going()) return;
    words.textContent = "Measuring";
    const { sources } = await ask({ saved: await saved() });
    place.replaceChildren();
    yours = sources.map(([name, source]) => ({ name, source, printed: [], place }));
    for (const cell of yours) {
      const said = await run(cell);
      if (!going()) return;
      if (cell.kind === "failed") return void ready(`This file is not measured: ${said}.`);
    }
    ready(`Measured in ${seconds()}.`);
  });
  button.addEventListener("click", () => {
    if (bar.dataset.state === "running") end(`Stopped after ${seconds()}: ${tally()}.`);
    else if (worker) end("Python is closed.");
    else start();
  });
})();
