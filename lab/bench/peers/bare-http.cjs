/**
 * The least that a Node server can be: what the agent's memory and start are measured against. CommonJS, since an ES
 * module that imports node:http loads all that it exports, 13 MiB more on Node 24.
 */
const { createServer } = require("node:http");

const server = createServer((_request, response) => {
  response.setHeader("Content-Type", "application/json");
  response.end('{"name":"bare"}');
});
server.listen(Number(process.env.PORT), "127.0.0.1");
