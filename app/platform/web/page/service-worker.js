// Keeps the page's files, so that Headlight starts without a network. A new version is there from the next start on.
const version = "headlight {{version}}";
const program = location.search.slice(1);  // the page knows which one it needs
const files = ["./", "index.html", `${program}.js`, `${program}.wasm`];
addEventListener("install", (event) => {
  event.waitUntil(caches.open(version).then((cache) => cache.addAll(files)).then(() => skipWaiting()));
});
addEventListener("activate", (event) => {
  const is_older = (name) => name.startsWith("headlight ") && name !== version;
  event.waitUntil(caches.keys()
    .then((names) => Promise.all(names.filter(is_older).map((name) => caches.delete(name))))
    .then(() => clients.claim()));
});
// The trained layer is kept once the user has asked for it.
const is_of_page = (url) => url.startsWith(registration.scope);
addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || !is_of_page(event.request.url)) return;
  event.respondWith(caches.open(version).then(async (cache) => {
    const hit = await cache.match(event.request, { ignoreSearch: true });
    if (hit) return hit;
    const response = await fetch(event.request);
    if (response.ok && event.request.url.endsWith("/sentence-encoder.bin")) cache.put(event.request, response.clone());
    return response;
  }));
});
