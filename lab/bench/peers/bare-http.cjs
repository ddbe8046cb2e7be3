/**
 * The least that a Node server can be: what the agent's memory and start are measured against. CommonJS, since an ES
 * module that imports node:http loads all that it exports, 13 MiB more on Node 24.
 */
const { createServer } = require("node:http");

const server = createServer((_request, response) => {
  response.setHeader("Content-Type", "application/json");
  response.end('{"name":"bare"}');
});
server.listen(Number(process.env.PORT), "127.0.0.1", () => {
  if (process.env.HANDSHAKES !== undefined) shakeHands(process.env.HANDSHAKES.split(" ").map(Number));
});

/** One handshake of a key exchange (RFC 8915) after another. */
function shakeHands([port, ...others]) {
  if (port === undefined) return;
  const options = { minVersion: "TLSv1.3", ALPNProtocols: ["ntske/1"], rejectUnauthorized: false, ca: [] };
  const socket = require("node:tls").connect({ host: "127.0.0.1", port, ...options });
  socket.on("secureConnect", () => {
    socket.exportKeyingMaterial(32, "EXPORTER-network-time-security", Buffer.alloc(5));
    socket.destroy();
  });
  socket.on("close", () => shakeHands(others));
}
