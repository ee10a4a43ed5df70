// Runs in the notebook: the button of a card opens the app below it, with what was checked inside. The page is that of a
// frame which is there already, so that a card doesn't make the notebook larger by a page.
((name, slot, inside) => {
  const button = document.getElementById(`headlight-${name}`);
  const page = async () => {
    for (const frame of document.querySelectorAll("iframe[data-headlight]")) {
      const text = frame.srcdoc || await fetch(frame.src).then((answer) => answer.text(), () => "");
      if (text.includes(slot)) return text;
    }
  };
  button.onclick = async () => {
    const text = await page();
    if (!text) {
      button.outerHTML = "<span>No page of Headlight is in this notebook: write .show() behind check(...)</span>";
      return;
    }
    const begin = text.indexOf(slot) + slot.length;
    const frame = document.createElement("iframe");
    Object.assign(frame, { title: "Headlight", width: "100%", height: "640" });
    frame.setAttribute("sandbox", "allow-scripts allow-downloads");
    frame.setAttribute("allow", "fullscreen; clipboard-write");
    frame.style.border = "0";
    frame.srcdoc = text.slice(0, begin) + inside + text.slice(text.indexOf("<\/script>", begin));
    button.parentNode.after(frame);
    button.remove();
  };
})
