// Sliders: one figure in frames, moved by an <input type="range">. The address has the frame:
// #fig-name=value. Without JavaScript the figure shows its first frame, and a table lists the words of all.
for (const event of ["DOMContentLoaded", "outputs"]) document.addEventListener(event, ({ target }) => {
  for (const box of target.querySelectorAll(".cc.slider")) {
    const figure = box.closest("figure[id]"), drawings = box.querySelectorAll("svg");
    const frames = box.querySelectorAll("[data-frame]"), input = box.querySelector("input");
    const output = box.querySelector("output"), words = box.querySelector(".slider-words");
    const texts = ({ cells }) => [...cells].map((cell) => cell.textContent);
    const rows = [...box.querySelectorAll("tbody tr")].map(texts);
    const link = figure?.querySelector("a[data-files]"), files = link?.dataset.files.split(" ");
    const said = document.createElement("p"); // for those who listen: once the hand rests, and no value twice
    said.className = "visually-hidden";
    said.setAttribute("role", "status");
    words.after(said);
    output.setAttribute("aria-live", "off");
    let timer, silence;

    const show = () => {
      const [value, text] = rows[input.value];
      for (const frame of frames)
        frame.setAttribute("display", frame.dataset.frame === input.value ? "inline" : "none");
      for (const drawing of drawings) drawing.setAttribute("aria-label", text);
      input.setAttribute("aria-valuetext", value);
      output.value = value;
      words.textContent = text;
      if (link) link.setAttribute("href", link.getAttribute("href").replace(/[^/]*$/, files[input.value]));
    };
    const follow = () => { // the frame that the address asks for
      const value = new URLSearchParams(location.hash.slice(1)).get(figure?.id);
      const asked = rows.findIndex(([name]) => name === value);
      if (asked < 0) return;
      input.value = asked;
      show();
      figure.scrollIntoView();
    };
    input.addEventListener("input", () => {
      show();
      clearTimeout(timer);
      clearTimeout(silence);
      timer = setTimeout(() => { // one announcement and one address for a movement
        said.textContent = words.textContent;
        silence = setTimeout(() => { said.textContent = ""; }, 5000); // else it would be read twice
        const value = encodeURIComponent(rows[input.value][0]);
        if (figure) history.replaceState(null, "", `#${figure.id}=${value}`);
      }, 250);
    });
    addEventListener("hashchange", follow);
    input.parentElement.hidden = false;
    show();
    follow();
  }
});
