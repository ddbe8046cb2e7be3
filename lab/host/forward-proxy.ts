import { createServer, request as sendRequest } from "node:http";
import { connect } from "node:net";
import { listening, type WebServer } from "./web-server.ts";

/** A forward proxy: CONNECT and the absolute form, everything to 127.0.0.1. `connectStatus`: its answer to CONNECT. */
export async function startForwardProxy(connectStatus = 200): Promise<WebServer> {
  const requests: WebServer["requests"] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    const { port, pathname } = new URL(request.url ?? "");
    const onward = sendRequest({ port, path: pathname, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.end();
  });
  server.on("connect", (request, socket) => {
    requests.push(request);
    socket.on("error", () => undefined);
    if (connectStatus !== 200) {
      socket.end(`HTTP/1.1 ${connectStatus} No\r\n\r\n`);
      return;
    }
    const onward = connect(Number(request.url?.split(":")[1]), "127.0.0.1");
    onward.on("error", () => socket.destroy());
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    onward.pipe(socket).pipe(onward);
  });
  return listening(server, "http", requests);
}
