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
  let shown, waiting = false, sending = false, is_open = false;

  const send = () => {
    if (sending || !waiting) return;
    [sending, waiting] = [true, false];
    const socket = new WebSocket(address), id = made_up();
    const header = { msg_id: id, msg_type: is_open ? "comm_msg" : "comm_open", username: "", session: made_up(), date: new Date().toISOString(), version: "5.3" };
    const content = { comm_id: comm, target_name: "headlight", data: { shown: name, session: shown } };
    socket.onopen = () => socket.send(JSON.stringify({ channel: "shell", header, parent_header: {}, metadata: {}, content, buffers: [] }));
    socket.onmessage = ({ data }) => {
      const said = typeof data === "string" ? JSON.parse(data) : {};
      if (said.parent_header?.msg_id !== id || said.content?.execution_state !== "idle") return;
      is_open = true;
      socket.close();
    };
    socket.onclose = () => {
      sending = false;
      send();
    };
  };

  addEventListener("message", ({ data, source }) => {
    if (data?.headlight !== name || typeof data.session !== "string" || !is_own(source)) return;
    waiting = shown !== undefined && shown !== data.session;  // the first says what the kernel knows
    shown = data.session;
    send();
  });
})
