#!/usr/bin/env node
// A product to start from: a page, a WebSocket and an alarm behind Steward's sign-in, with no web server before them
// (docs/product.md). In a unit that product.units names:
//   STEWARD=http://127.0.0.1:8470 WORD=/run/steward-product/socket PAGE=pump PORT=8471 ./product.mjs
import { createHash } from "node:crypto";
import { createServer, get, ServerResponse, STATUS_CODES } from "node:http";
import { connect } from "node:net";
import { createInterface } from "node:readline";

const { STEWARD, WORD, PAGE, PORT } = process.env;

/** The headers by which Steward judges a request. A client's own `X-Original-` headers are not passed on. */
const judged = ["cookie", "origin", "accept", "authorization"].concat(
  ["site", "mode", "dest"].map((name) => `sec-fetch-${name}`),
);

/** The connection to Steward; the open WebSockets, each with the request and the session that opened it. */
let word;
let isAlarm = false;
const open = new Map();
follow();
// Steward takes a need that is not repeated for a product that hangs.
setInterval(() => isAlarm && report("need"), 20_000);

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

/** Hears which sessions end. About those that have ended before, Steward is asked. */
function follow() {
  word = connect(WORD, () => {
    word.write('{"follow":"sessions"}\n');
    if (isAlarm) report("need");
    for (const [socket, one] of open) void recheck(socket, one);
  });
  word.on("error", () => undefined).once("close", () => setTimeout(follow, 1_000));
  // readline passes errors on.
  const lines = createInterface(word).on("error", () => undefined);
  lines.on("line", (line) => {
    const { ended, detail } = JSON.parse(line);
    if (detail !== undefined) console.error(detail);
    for (const [socket, { session }] of open) if (session === ended) close(socket, 1008);
  });
}

async function recheck(socket, { request }) {
  if ((await check(request)).visitor === undefined) close(socket, 1008);
}

function report(verb) {
  const numbers = verb === "need" ? { bar: pressure() } : undefined;
  if (word.writable) word.write(`${JSON.stringify({ [verb]: "pressure_low", numbers })}\n`);
}

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
  const [name, role, session] = ["user", "role", "session"].map((one) => headers[`steward-${one}`]);
  if (statusCode === 204) return { visitor: { name, role, session } };
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
  const isButton = path === "/alarm" && request.method === "POST";
  if (visitor === undefined) return answer(response, status, headers);
  if (path !== "/" && !isButton) return answer(response, 404);
  if (!isButton) return answer(response, 200, { "content-type": "text/html; charset=utf-8" }, page(visitor));
  if (visitor.role === "readonly") return answer(response, 403);
  isAlarm = !isAlarm;
  report(isAlarm ? "need" : "ok");
  answer(response, 303, { location: "/" });
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
<form method="post" action="/alarm"><button>${isAlarm ? "End the alarm" : "Alarm"}</button></form>
<script>
  const shown = document.querySelector("output");
  const socket = new WebSocket(location.origin.replace("http", "ws") + "/pressure");
  socket.onmessage = ({ data }) => { shown.textContent = data; };
  socket.onclose = () => { shown.textContent = "not known. The connection has ended: load the page again."; };
</script>
`;
}

/** A WebSocket (RFC 6455) that says the pressure each second, until its visitor's session ends. */
async function openSocket(request, socket) {
  const { visitor, status, headers } = await check(request);
  if (socket.destroyed) return;
  const { "sec-websocket-key": key, "sec-websocket-version": version } = request.headers;
  if (visitor === undefined) return refuse(request, socket, status, headers);
  // A program has no session that could be followed.
  if (visitor.session === "") return refuse(request, socket, 403);
  if (request.url !== "/pressure" || key === undefined) return refuse(request, socket, 404);
  if (version !== "13") return refuse(request, socket, 426, { "sec-websocket-version": "13" });
  // RFC 6455 §1.3
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  const upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
  socket.write(`${upgrade}Sec-WebSocket-Accept: ${accept}\r\n\r\n`);
  open.set(socket, { request, session: visitor.session });
  const telling = setInterval(() => tell(socket), 1_000);
  socket.once("close", () => open.delete(socket) && clearInterval(telling));
  socket.once("end", () => socket.destroy());
  // A browser sends no more than its word that it closes: 1003 is for all else.
  socket.on("data", ([first]) => close(socket, (first & 0x0f) === 0x8 ? 1000 : 1003));
  tell(socket);
  // The session may have ended since the first answer.
  void recheck(socket, { request });
}

function refuse(request, socket, status, headers) {
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  response.once("finish", () => socket.destroySoon());
  answer(response, status, { connection: "close", ...headers });
}

function pressure() {
  return Number(((isAlarm ? 0.9 : 2.4) + Math.sin(Date.now() / 10_000) / 5).toFixed(2));
}

function tell(socket) {
  const text = Buffer.from(`${pressure().toFixed(2)} bar`);
  // One who does not read gets the next one.
  if (socket.writable && !socket.writableNeedDrain) socket.write(frame(0x1, text));
}

function close(socket, code) {
  if (socket.writable) socket.end(frame(0x8, Buffer.from([code >> 8, code & 0xff])));
  setTimeout(() => socket.destroy(), 1_000).unref();
}

/** A whole message of 125 bytes at most, whose length is in one byte (RFC 6455 §5.2). */
function frame(opcode, content) {
  return Buffer.concat([Buffer.from([0x80 | opcode, content.length]), content]);
}
