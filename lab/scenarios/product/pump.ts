/**
 * The product: it refuses what has not passed Steward, shows its page to a person, says of each other request how it arrived,
 * begins a stream of events, and sends back all that comes over a WebSocket, in messages of 125 bytes at most.
 */
const program = String.raw`#!/usr/lib/steward-vm/node
"use strict";
const { execFile } = require("node:child_process");
const { createHash } = require("node:crypto");
const { readFileSync } = require("node:fs");
const { createServer } = require("node:http");
const { connect } = require("node:net");
const html = readFileSync("/usr/lib/pump/page.html", "utf8");
const gate = readFileSync(process.env.CREDENTIALS_DIRECTORY + "/gate", "utf8").trim();
const hasPassed = ({ headers }) => headers["steward-gate"] === gate;
const server = createServer((request, response) => {
  if (!hasPassed(request)) return response.writeHead(403).end("not through Steward");
  if (request.url === "/events") {
    keep(request, response.writeHead(200, { "Content-Type": "text/event-stream" }));
    return response.write("data: the only event\n\n");
  }
  if (request.method === "GET" && request.headers.accept?.includes("text/html")) {
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" });
    const { "steward-user": name, "steward-role": role } = request.headers;
    return response.end(html.replace("PERSON", name + ", " + role));
  }
  if (request.url === "/run") return void runs(request, response);
  let bytes = 0;
  request.on("data", (chunk) => (bytes += chunk.length));
  request.on("end", () => {
    const { method, url, rawHeaders } = request;
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ method, url, rawHeaders, bytes }));
  });
});
// A line of the shell in its own unit; "flood NUMBER EVENT NAME": so many events, over two connections, which are the most that
// one who is not known yet may have.
async function runs(request, response) {
  const line = (await request.setEncoding("utf8").toArray()).join("");
  const [, number, event, name] = /^flood (\d+) (\w+) (\w+)$/.exec(line) ?? [];
  if (number !== undefined) {
    const lines = Array.from({ length: number / 2 }, (_, index) => ({ event, numbers: { [name]: index } }));
    const answers = (await Promise.all([says(lines), says(lines)])).join("");
    return response.end(JSON.stringify({ status: 0, stdout: answers, stderr: "" }));
  }
  execFile("sh", ["-c", line], (error, stdout, stderr) => {
    response.end(JSON.stringify({ status: error?.code ?? 0, stdout, stderr }));
  });
}
async function says(lines) {
  const socket = connect("/run/steward-product/socket").setEncoding("utf8");
  socket.end(lines.map((line) => JSON.stringify(line) + "\n").join(""));
  return (await socket.toArray()).join("");
}
server.on("upgrade", (request, socket) => {
  if (!hasPassed(request)) return socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  socket.on("error", () => undefined);
  keep(request, socket);
  const key = request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n");
  socket.write("Sec-WebSocket-Accept: " + createHash("sha1").update(key).digest("base64") + "\r\n\r\n");
  // RFC 6455, section 5.3: what a client sends is masked, what it gets is not.
  socket.on("data", (bytes) => {
    const content = bytes.subarray(6).map((byte, index) => byte ^ bytes[2 + (index % 4)]);
    socket.write(Buffer.concat([Buffer.from([bytes[0], content.length]), content]));
  });
});
server.listen(9000, "127.0.0.1");
// Steward says at once which session has ended, and the connections of its person end with it.
const open = new Map();
function keep(request, connection) {
  open.set(connection, request.headers["steward-session"]);
  connection.once("close", () => open.delete(connection));
}
function follow() {
  const socket = connect("/run/steward-product/socket").setEncoding("utf8");
  socket.write('{"follow":"sessions"}\n');
  let text = "";
  socket.on("data", (data) => {
    const lines = (text + data).split("\n");
    text = lines.pop();
    for (const { ended } of lines.map((line) => JSON.parse(line)))
      for (const [connection, session] of open) if (session === ended) connection.destroy();
  });
  socket.on("error", () => undefined).once("close", () => setTimeout(follow, 1_000));
}
follow();
`;

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Pump</title>
<h1>Pump of PERSON</h1>
<a href="/status?again">Look again</a>
<form method="post" action="/valves"><label>Valve <input name="valve"></label><button>Set</button></form>
<form method="post" action="/firmware" enctype="multipart/form-data">
  <label>Firmware <input type="file" name="file"></label><button>Install</button>
</form>
<output id="socket"></output>
<output id="stream"></output>
<script>
  const show = (place) => ({ data }) => { document.getElementById(place).textContent = data; };
  const socket = new WebSocket(location.origin.replace("http", "ws") + "/socket");
  socket.onopen = () => socket.send("valve 3");
  socket.onmessage = show("socket");
  socket.onclose = () => show("socket")({ data: "ended" });
  new EventSource("/events").onmessage = show("stream");
</script>
`;

const unit = `[Unit]
Description=The product of the scenario
[Service]
Type=exec
DynamicUser=yes
LoadCredential=gate:/etc/steward/pump-gate
ExecStart=/usr/lib/steward-vm/node /usr/lib/pump/pump
`;

/** The product's files in the machine. */
export const pumpFiles = {
  "/usr/lib/pump/pump": program,
  "/usr/lib/pump/page.html": page,
  "/etc/systemd/system/pump.service": unit,
} as const;

/** A request as it arrived at the product. */
export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly bytes: number;
  /** The values of a header; empty where it did not come, or came without a value. */
  readonly values: (name: string) => string;
  /** The names of the headers as they were sent. */
  readonly names: readonly string[];
}

/** Undefined: this is no answer of the product's. */
export function arrivedIn(text: string): Arrived | undefined {
  if (!text.startsWith('{"method":')) return undefined;
  const { rawHeaders, ...rest } = JSON.parse(text) as Omit<Arrived, "values" | "names"> & {
    rawHeaders: string[];
  };
  const pairs = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : [],
  );
  const values = (wanted: string) =>
    pairs.flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : [])).join("; ");
  return { ...rest, values, names: pairs.map(([name]) => name) };
}
