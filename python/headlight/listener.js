// Runs in the notebook: what the app in the frame of this name shows goes to the kernel that made the frame, after each
// change. Through the server's own interface, which Jupyter Notebook and JupyterLab share; a page without such a server
// has no kernel either, and nothing is sent there.
((name, kernel) => {
  const settings = document.getElementById("jupyter-config-data");
  const base = document.body.dataset.baseUrl ?? (settings && JSON.parse(settings.textContent).baseUrl);
  if (!base) return;
  const address = new URL(`${base}api/kernels/${kernel}/channels`, location.href);
  address.protocol = address.protocol.replace("http", "ws");
  const made_up = () => Array.from({ length: 4 }, () => Math.random().toString(16).slice(2, 10)).join("");
  const is_own = (source) =>
    [...document.querySelectorAll(`iframe[data-headlight="${name}"]`)].some((frame) => frame.contentWindow === source);
  const comm = made_up();
  // What the app shows, and what of it the kernel knows; null while that is not certain.
  let shown, known, sending = false, is_open = false, patience = 2000;

  const send = () => {
    if (sending || shown === known) return;
    [sending, known] = [true, null];
    const told = shown, socket = new WebSocket(address), id = made_up();
    const header = { msg_id: id, msg_type: is_open ? "comm_msg" : "comm_open", username: "", session: made_up(), date: new Date().toISOString(), version: "5.3" };
    const content = { comm_id: comm, target_name: "headlight", data: { shown: name, session: told } };
    socket.onopen = () => socket.send(JSON.stringify({ channel: "shell", header, parent_header: {}, metadata: {}, content, buffers: [] }));
    socket.onmessage = ({ data }) => {
      const said = typeof data === "string" ? JSON.parse(data) : {};
      if (said.parent_header?.msg_id !== id || said.content?.execution_state !== "idle") return;
      [is_open, known, patience] = [true, told, 2000];
      socket.close();
    };
    // A server that isn't connected to its kernel yet drops what it is told, without a word. A kernel that computes
    // answers late, so each try waits longer.
    const late = setTimeout(() => socket.close(), patience);
    socket.onclose = () => {
      clearTimeout(late);
      sending = false;
      if (known === told) return send();
      setTimeout(send, patience);
      patience *= 2;
    };
  };

  addEventListener("message", ({ data, source }) => {
    if (data?.headlight !== name || typeof data.session !== "string" || !is_own(source)) return;
    if (known === undefined) known = data.session;  // the first says what the kernel knows
    shown = data.session;
    send();
  });
})
