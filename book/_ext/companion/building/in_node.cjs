// A script by the Python of the browser, without a browser: node in_node.cjs RUNTIME OPTIONS SCRIPT ARGUMENT...
// OPTIONS is JSON: packages, env. The script sees the files of this machine below /host, its arguments in sys.argv.
const { readFileSync } = require("node:fs");
const [runtime, options, script, ...given] = process.argv.slice(2);
const { packages, env } = JSON.parse(options);
const { loadPyodide } = require(`${runtime}/pyodide.js`);

const main = async () => {
  const python = await loadPyodide({ indexURL: runtime, env });
  await python.loadPackage(packages, { messageCallback() {} });
  python.mountNodeFS("/host", "/");
  python.globals.set("given", python.toPy([script, ...given]));
  python.runPython("import sys; sys.argv = given");
  python.runPython(readFileSync(script, "utf8"));
};
main().catch(({ message }) => {
  console.error(message);
  process.exit(1);
});
