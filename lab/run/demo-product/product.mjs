#!/usr/bin/env node
// A product to start from: a page and a WebSocket behind Steward's sign-in, with no web server before them
// (docs/product.md, "Without a web server"). To start it: STEWARD=http://127.0.0.1:8470 PAGE=pump PORT=8471 ./product.mjs
import { createHash } from "node:crypto";
import { createServer, get, ServerResponse, STATUS_CODES } from "node:http";

/** RECHECK_SECONDS takes the place of what Steward says about open connections. */
const { STEWARD, PAGE, PORT, RECHECK_SECONDS } = process.env;

/** The headers by which Steward judges a request. A client's own `X-Original-` headers are not passed on. */
const judged = ["cookie", "origin", "accept", "authorization"].concat(
  ["site", "mode", "dest"].map((name) => `sec-fetch-${name}`),
);

const server = createServer((request, response) => {
  const [path, query = ""] = request.url.split(/\?(.*)/s);
  if (path === "/.steward/enter" && request.method === "GET") void enter(request, query, response);
  else void serve(request, path, response);
});
server.on("upgrade", (request, socket) => {
  socket.on("error", () => socket.destroy());
  void openSocket(request, socket);
});
server.listen(Number(PORT), "127.0.0.1");

/** One of the page's routes at Steward, asked with a request's headers. Rejects where there is no answer in time. */
function ask(route, { headers }, more = {}) {
  const own = judged.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
  const url = `${STEWARD}/api/product/pages/${PAGE}/${route}`;
  const options = { headers: { ...Object.fromEntries(own), ...more }, signal: AbortSignal.timeout(5_000) };
  return new Promise((resolve, reject) => {
    get(url, { ...options, agent: false }, (answer) => resolve(answer.resume())).once("error", reject);
  });
}

/** The visitor, or the status and headers that refuse the request. Without Steward no one is let in. */
async function check(request) {
  const original = { "x-original-method": request.method, "x-original-uri": request.url };
  const { statusCode, headers } = await ask("check", request, original).catch(() => ({ headers: {} }));
  if (statusCode === 204)
    return {
      visitor: { name: headers["steward-user"], role: headers["steward-role"] },
      recheckSeconds: Number(RECHECK_SECONDS ?? headers["steward-recheck"]),
    };
  const location = headers["steward-sign-in"];
  if (statusCode === 401 && location !== undefined) return { status: 302, headers: { location } };
  if (statusCode === 401) return { status: 401, headers: { "www-authenticate": "Bearer" } };
  return { status: statusCode === 403 ? 403 : 503 };
}

/** The way in for a browser that has signed in: Steward's answer, with the page's cookie. */
async function enter(request, query, response) {
  const { statusCode, headers } = await ask(`finish?${query}`, request).catch(() => ({ headers: {} }));
  const { location, "set-cookie": cookie } = headers;
  const passedOn = { ...(location && { location }), ...(cookie && { "set-cookie": cookie }) };
  answer(response, statusCode ?? 503, passedOn);
}

async function serve(request, path, response) {
  const { visitor, status, headers } = await check(request);
  if (visitor === undefined) answer(response, status, headers);
  else if (path !== "/") answer(response, 404);
  else answer(response, 200, { "content-type": "text/html; charset=utf-8" }, page(visitor));
}

function answer(response, status, headers = {}, body = `${status} ${STATUS_CODES[status]}\n`) {
  const own = { "cache-control": "no-store", "content-length": Buffer.byteLength(body) };
  response.writeHead(status, { ...own, ...headers }).end(body);
}

/** A user name is of letters, digits and ._-, so that it needs no escapes. */
function page({ name, role }) {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Pump</title>
<h1>Pump</h1>
<p>Signed in at Steward as <strong>${name}</strong>, ${role}.</p>
<p>Pressure: <output>not known</output></p>
<script>
  const shown = document.querySelector("output");
  const socket = new WebSocket(location.origin.replace("http", "ws") + "/pressure");
  socket.onmessage = ({ data }) => { shown.textContent = data; };
  socket.onclose = () => { shown.textContent = "not known. The connection has ended: load the page again."; };
</script>
`;
}

/** A WebSocket (RFC 6455) that says the pressure each second, as long as Steward lets its visitor in. */
async function openSocket(request, socket) {
  const { visitor, recheckSeconds, status, headers } = await check(request);
  if (socket.destroyed) return;
  const { "sec-websocket-key": key, "sec-websocket-version": version } = request.headers;
  if (visitor === undefined) return refuse(request, socket, status, headers);
  if (request.url !== "/pressure" || key === undefined) return refuse(request, socket, 404);
  if (version !== "13") return refuse(request, socket, 426, { "sec-websocket-version": "13" });
  // RFC 6455 §1.3
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  const upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
  socket.write(`${upgrade}Sec-WebSocket-Accept: ${accept}\r\n\r\n`);
  const telling = setInterval(() => tell(socket), 1_000);
  const checking = setInterval(async () => {
    if ((await check(request)).visitor === undefined) close(socket, 1008);
  }, recheckSeconds * 1_000);
  socket.once("close", () => [telling, checking].forEach(clearInterval));
  socket.once("end", () => socket.destroy());
  // A browser sends no more than its word that it closes: 1003 is for all else.
  socket.on("data", ([first]) => close(socket, (first & 0x0f) === 0x8 ? 1000 : 1003));
  tell(socket);
}

function refuse(request, socket, status, headers) {
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  response.once("finish", () => socket.destroySoon());
  answer(response, status, { connection: "close", ...headers });
}

function tell(socket) {
  const bars = (2.4 + Math.sin(Date.now() / 10_000) / 5).toFixed(2);
  // One who does not read gets the next one.
  if (socket.writable && !socket.writableNeedDrain) socket.write(frame(0x1, Buffer.from(`${bars} bar`)));
}

function close(socket, code) {
  if (socket.writable) socket.end(frame(0x8, Buffer.from([code >> 8, code & 0xff])));
  setTimeout(() => socket.destroy(), 1_000).unref();
}

/** A whole message of 125 bytes at most, whose length is in one byte (RFC 6455 §5.2). */
function frame(opcode, content) {
  return Buffer.concat([Buffer.from([0x80 | opcode, content.length]), content]);
}
