// The form of the page "Your network": its files go to the Python that run.js starts, and nowhere else.
// In a site without Python it stays hidden.
(() => {
  const MOST = 2 ** 29; // bytes: Python has 2 GB here, and a report needs some copies
  const [form, place] = ["#your-files", "#your-reports"].map((id) => document.querySelector(id));
  if (!window.runYours) return;
  form.hidden = false;
  const tooLarge = ({ name, size }) => `${name} has ${(size / 1e6).toFixed(0)} MB; in the browser
    a file may have ${(MOST / 1e6).toFixed(0)}. Python measures it: sparse-meter measure.`;
  form.addEventListener("change", ({ target }) => {
    const large = [...target.files].find(({ size }) => size > MOST);
    target.setCustomValidity(large ? tooLarge(large) : "");
    target.reportValidity();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    window.runYours(async () => {
      const saved = {};
      for (const { name, files: [file] } of form.querySelectorAll("input")) {
        if (!file) continue;
        const kind = file.name.match(/\.\w{1,12}$/)?.[0] ?? ""; // its name would stand in a program
        saved[name + kind] = await file.arrayBuffer();
      }
      return saved;
    }, place);
  });
})();
