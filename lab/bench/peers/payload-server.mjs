// A static server of one file, without its name mattering: what the payload's row is measured against.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";

const path = process.env.PAYLOAD;
const server = createServer((_request, response) => {
  response.writeHead(200, { "content-length": statSync(path).size, etag: '"1"' });
  createReadStream(path, { highWaterMark: 1_048_576 }).pipe(response);
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
