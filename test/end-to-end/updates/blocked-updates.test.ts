import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { endOfSuite, ofSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";
import { placeholderKey } from "../../../lab/publisher/signing-key.ts";
import { startPublisher, startUpdatingAgent, type UpdatingAgent } from "./updating-agent.ts";

/** A file of the device that was edited by hand so that updates are blocked. */
interface Edited {
  readonly what: string;
  /** The reason in the status, and in the health. */
  readonly code: string;
  readonly says: RegExp;
  /** The answer to a check, and to a change that would block them, from whomever. */
  readonly refusal: string;
  readonly wrong?: object;
  /** Members of the settings, as they stand in the file at the start. */
  readonly ota?: object;
  readonly mend: (agent: UpdatingAgent) => unknown;
}

const updating = { enabled: true, auto_update_binary: true, auto_update_rules: true, check_interval: "5m" };

describe("updates that a file edited by hand blocks", () => {
  const ending = endOfSuite();
  const stick = join(scratchDirectory(), "stick");
  const publisher = ofSuite(() => startPublisher(ending));
  let roots: { good: Buffer; bad: Buffer };
  before(async () => {
    const { repository } = publisher;
    repository.addRelease({ version: "2.0.0" });
    repository.publish("rules");
    await repository.writeTo(stick);
    const other = repository.fork();
    other.keys.timestamp?.push(placeholderKey("00".repeat(32)));
    other.publishRoot();
    roots = { good: repository.metadata("1.root"), bad: other.metadata("2.root") };
  });
  const installByHand = (agent: UpdatingAgent, root: Buffer) =>
    writeFileSync(join(agent.etc, "update-root.json"), root, { mode: 0o644 });

  const rows: readonly Edited[] = [
    {
      ...{ what: "a channel that the host file does not allow", code: "channel_not_allowed" },
      ...{ says: / channel nightly \(update\.ota\.channel\)/, refusal: "409 pinned_by_host" },
      ...{ wrong: { channel: "other" }, ota: { channel: "nightly" } },
      mend: (agent) => agent.set({ channel: "beta" }),
    },
    {
      ...{ what: "signatures that are not verified", code: "signature_verification_off" },
      ...{ says: /verify_signature/, refusal: "422 signature_verification_required" },
      ota: { verify_signature: false, ...updating },
      mend: (agent) => agent.set({ verify_signature: true, auto_update_binary: false }),
    },
    {
      ...{ what: "a root of trust that names a placeholder for a key", code: "trust_unusable" },
      ...{ says: /is all zero: a placeholder/, refusal: "409 update_root_unusable" },
      wrong: { enabled: true },
      mend: (agent) => installByHand(agent, roots.good),
    },
  ];
  for (const { what, code, says, refusal, wrong, ota, mend } of rows)
    describe(`by ${what}`, () => {
      const agent = ofSuite(async () => {
        const stateDirectory = join(scratchDirectory(), "state");
        const first = await startUpdatingAgent({ stateDirectory, hasTime: false });
        await first.set({ server: publisher.server.origin });
        await first.dispose();
        const file = join(stateDirectory, "settings.json");
        const settings = JSON.parse(readFileSync(file, "utf8"));
        Object.assign(settings.update.ota, ota);
        writeFileSync(file, JSON.stringify(settings));
        const host = { update: { allow_local_servers: true, channels: ["stable", "beta"] } };
        return startUpdatingAgent({ stateDirectory, host });
      });
      const updates = async () =>
        (await agent.read("/api/health")).checks.find(({ name }: { name: string }) => name === "updates");
      before(async () => {
        publisher.server.repent();
        if (ota) await agent.install(roots.good);
        else installByHand(agent, roots.bad);
      });

      it("says so in status and health, and asks and fetches nothing, of the server and of a directory", async () => {
        await until("it is seen", async () => (await agent.status()).state === "blocked");
        const { status, detail } = await updates();
        assert.deepEqual([(await agent.status()).summary.code, status], [code, "degraded"]);
        assert.match(detail, says);
        for (const body of [{}, { repository: pathToFileURL(stick).href }]) {
          const asked = agent.call("POST", "/api/updates/check", { local: true, body });
          assert.equal(await outcome(asked), refusal);
        }
        assert.match((await agent.run("update", "check", "--repo", stick)).stderr, says);
        assert.deepEqual([publisher.server.requests, (await agent.status()).available.rules], [[], null]);
      });

      it("lets other settings be written, and no change of any person make it so, until it is put right", async () => {
        const { token } = await agent.signedInAdmin();
        const before = await agent.read("/api/system");
        const device = { name: "edge 9" };
        const body = { update: { ota: wrong }, device };
        for (const who of wrong ? [{ local: true }, { token }] : [])
          assert.equal(await outcome(agent.call("PUT", "/api/system", { ...who, body })), refusal);
        assert.deepEqual(await agent.read("/api/system"), before);
        assert.equal((await agent.call("PUT", "/api/system", { token, body: { device } })).status, 200);
        await mend(agent);
        await agent.check({ repository: pathToFileURL(stick).href });
        assert.equal((await updates()).status, "ok");
      });
    });
});
