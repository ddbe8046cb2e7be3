/** The least that a Node server can be: what the agent's memory and start are measured against. */
import { createServer } from "node:http";

const server = createServer((_request, response) => {
  response.setHeader("Content-Type", "application/json");
  response.end('{"name":"bare"}');
});
server.listen(Number(process.env.PORT), "127.0.0.1");
