import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";
import { fetchFrom, file, oddServers, startOddServer } from "../../../lab/host/odd-servers.ts";

describe("a file of a server that", () => {
  for (const { kind, what, ends, patienceSeconds, answer } of oddServers)
    it(`${what} (${kind}) ${ends === null ? "arrives" : `ends with ${ends}`}`, async () => {
      const server = await startOddServer({ answer });
      const directory = scratchDirectory();
      try {
        const error = await fetchFrom(server.url, directory, patienceSeconds);
        assert.equal(error?.code ?? null, ends, error?.message);
        const staged = join(directory, "staged");
        const arrived = readdirSync(staged).map((name) => readFileSync(join(staged, name)).equals(file));
        assert.deepEqual(arrived, ends === null ? [true] : [], "the signed file alone is staged");
        await until("its connections are ended", () => server.open.size === 0);
      } finally {
        await server.stop();
        rmSync(directory, { recursive: true });
      }
    });
});
