import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
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
  readonly refusal: readonly [number, string];
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
      ...{ says: / channel nightly \(update\.ota\.channel\)/, refusal: [409, "pinned_by_host"] },
      ...{ wrong: { channel: "other" }, ota: { channel: "nightly" } },
      mend: (agent) => agent.set({ channel: "beta" }),
    },
    {
      ...{ what: "signatures that are not verified", code: "signature_verification_off" },
      ...{ says: /verify_signature/, refusal: [422, "signature_verification_required"] },
      ota: { verify_signature: false, ...updating },
      mend: (agent) => agent.set({ verify_signature: true, auto_update_binary: false }),
    },
    {
      ...{ what: "a root of trust that names a placeholder for a key", code: "trust_unusable" },
      ...{ says: /is all zero: a placeholder/, refusal: [409, "update_root_unusable"] },
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

      it("says so, in the status and in the health", async () => {
        await until("it is seen", async () => (await agent.status()).state === "blocked");
        const { status, detail } = await updates();
        assert.deepEqual([(await agent.status()).state, status], ["blocked", "degraded"]);
        assert.match(detail, says);
        assert.equal((await agent.status()).summary.code, code);
      });

      it("refuses a check, of the server and of a directory, and asks and fetches nothing", async () => {
        for (const body of [{}, { repository: pathToFileURL(stick).href }]) {
          const { status, json } = await agent.call("POST", "/api/updates/check", { local: true, body });
          assert.deepEqual([status, json.code], refusal);
        }
        const { stderr } = await agent.run("update", "check", "--repo", stick);
        assert.match(stderr, says);
        assert.deepEqual([publisher.server.requests, (await agent.status()).available.rules], [[], null]);
      });

      it("lets other settings be written, and nobody's change make it so, whatever is beside it", async () => {
        const { token } = await agent.signedInAdmin();
        const read = async () => await agent.read("/api/system");
        const before = await read();
        const body = { update: { ota: wrong }, device: { name: "edge 9" } };
        for (const who of wrong ? [{ local: true }, { token }] : []) {
          const { status, json } = await agent.call("PUT", "/api/system", { ...who, body });
          assert.deepEqual([status, json.code], refusal);
        }
        assert.deepEqual(await read(), before);
        const other = { device: { name: "edge 9" } };
        assert.equal((await agent.call("PUT", "/api/system", { token, body: other })).status, 200);
      });

      it("are free again once it is put right", async () => {
        await mend(agent);
        await agent.check({ repository: pathToFileURL(stick).href });
        assert.equal((await updates()).status, "ok");
      });
    });
});
