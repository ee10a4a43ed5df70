// Runs before the rest of the page is there, which may be some megabytes away: what says that the page is loading must not
// say so if nothing follows.
document.querySelector("#loading div").textContent = "Headlight is loading";
addEventListener("DOMContentLoaded", () => {
  if (typeof begin === "function") return;
  document.querySelector("#loading div").textContent = "Headlight can't start: this page is not whole. Load it again.";
});
document.querySelector("#notice button").onclick = ({ target }) => { target.parentNode.hidden = true; };
