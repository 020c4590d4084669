// An address that leads to a record opens it.
document.addEventListener("DOMContentLoaded", () => {
  const open = () => {
    const mark = document.getElementById(location.hash.slice(1));
    mark?.closest(".ticks")?.querySelector("button").popoverTargetElement?.showPopover();
  };
  addEventListener("hashchange", open);
  open();
});
