// Runs in the notebook: the frame of this name shows the file that the link beside it leads to. JupyterLab would open itself in a
// frame with a relative address; where the file is, it writes into the link after a while.
((name, file) => {
  const rewrites = !document.body.dataset.baseUrl && document.getElementById("jupyter-config-data");
  for (const frame of document.querySelectorAll(`iframe[data-headlight="${name}"]`)) {
    const link = frame.parentNode.querySelector("a");
    const open = () => {
      const is_known = !rewrites || link.getAttribute("href") !== file;
      if (is_known) frame.src = link.href;
      return is_known;
    };
    const waiting = new MutationObserver(() => open() && waiting.disconnect());
    if (!open()) waiting.observe(link, { attributeFilter: ["href"] });
  }
})
