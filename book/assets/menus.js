// Each button that copies code says which, by its first line.
addEventListener("load", () => {
  for (const button of document.querySelectorAll("button.copybtn")) {
    const [line] = button.parentElement.querySelector("pre").textContent.trim().split("\n");
    button.setAttribute("aria-label", `Copy to clipboard: ${line.slice(0, 80)}`);
  }
});

// The theme takes the focus off a button that opens a menu or the search. Here the focus comes back when that
// is closed, so that the keyboard goes on where it was; and the button says whether the menu is open.
document.addEventListener("DOMContentLoaded", () => {
  const desk = matchMedia("(min-width: 992px)"); // the theme's own limit
  const menus = [["primary", "pst-primary-sidebar"], ["secondary", "pst-secondary-sidebar"]];
  let opener;

  const tell = () => {
    for (const [name, id] of menus) {
      const menu = document.getElementById(id), dialog = document.getElementById(`${id}-modal`);
      const beside = name === "primary" && desk.matches && !menu?.classList.contains("pst-sidebar-hidden");
      for (const button of document.querySelectorAll(`.${name}-toggle`))
        button.setAttribute("aria-expanded", Boolean(dialog?.open || beside));
    }
  };
  const back = () => {
    tell();
    if (opener && document.activeElement === document.body) opener.focus({ preventScroll: true });
    opener = null;
  };
  const BUTTONS = ".primary-toggle, .secondary-toggle, .search-button__button, .theme-switch-button";
  addEventListener("click", ({ target }) => { // before the theme hears of it
    const button = target.closest?.(BUTTONS);
    if (!button) return;
    opener = button;
    setTimeout(() => (document.querySelector("dialog[open]") ? tell() : back()));
  }, true);
  for (const dialog of document.querySelectorAll("dialog"))
    dialog.addEventListener("close", () => setTimeout(back));
  desk.addEventListener("change", tell);
  tell();
});
