#!/usr/bin/env node
// The pump's service: `serve RUN` answers /health on the port of RUN/settings.json, and does what release.json says.
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";

const [, , run] = process.argv;
const { port } = JSON.parse(readFileSync(`${run}/settings.json`, "utf8"));
const { version, does, afterAnswers } = JSON.parse(
  readFileSync(new URL("release.json", import.meta.url), "utf8"),
);
let answers = 0;

if (does === "exits") {
  for (let line = 0; line < 200; line += 1)
    console.error(`\u001b[31mpump ${version}: ${"no water ".repeat(80)}`);
  process.exit(3);
}

const server = createServer((_request, response) => {
  if (does === "hangs") return;
  answers += 1;
  const isWell = does !== "is unwell" && !(does === "fails later" && answers > afterAnswers);
  response.writeHead(isWell ? 200 : 503, { "content-type": "application/json" });
  response.end(JSON.stringify({ version }));
});
process.on("SIGTERM", () => process.exit(0));
server.listen(port, "127.0.0.1", () => {
  console.error(`pump ${version} listens`);
  writeFileSync(process.env.READY ? Number(process.env.READY) : `${run}/ready`, "\n");
});
