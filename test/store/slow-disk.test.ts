import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Answer, RunningAgent } from "../../lab/agents/running-agent.ts";
import { endOfSuite } from "../../lab/basics/ending.ts";
import { createHeldDisk, type HeldDisk, onDisk, startAgent } from "../../lab/state/state-directory.ts";

/** Signs in many times; the oldest session of a user makes room for the next, and the test's own must not. */
const visitor = { username: "visitor", password: "seven green bottles hang" };

/** Rounds of requests that are answered meanwhile; one that waited for the disk would never be. */
const rounds = 20;

describe("an agent on a disk that does not answer for a while", () => {
  const suite = endOfSuite();
  let disk: HeldDisk;
  let agent: RunningAgent;
  let token: string;
  before(async () => {
    disk = await createHeldDisk(suite);
    agent = await startAgent(suite, { environment: disk.environment });
    ({ token } = await agent.signedInAdmin());
    await agent.call("POST", "/api/users", { token, body: { ...visitor, role: "readonly" } });
  });

  const put = (name: string) => agent.call("PUT", "/api/system", { token, body: { device: { name } } });
  const signIn = () => agent.call("POST", "/api/auth/login", { body: visitor });
  const answersOthers = async () => {
    for (let round = 0; round < rounds; round += 1)
      for (const path of ["/api/health", "/api/system", "/api/users"])
        assert.equal((await agent.call("GET", path, { token })).status, 200, path);
  };

  it("acknowledges a change only when the file and its directory are synchronised", async () => {
    disk.hold("settings.json");
    const change = watched(put("slow"));
    await disk.waits("settings.json");
    await answersOthers();
    assert.equal(change.isAnswered(), false, "it was acknowledged before the file was synchronised");
    disk.hold(`=${agent.stateDirectory}`);
    await disk.waits(agent.stateDirectory);
    const { device } = await onDisk(agent.stateDirectory, "settings.json");
    assert.equal((device as { name: string }).name, "slow");
    await answersOthers();
    assert.equal(change.isAnswered(), false, "it was acknowledged before its directory was synchronised");
    disk.release();
    assert.equal((await change.answer).status, 200);
  });

  it("answers what only reads while changes and sign-ins wait for the disk", async () => {
    disk.hold("/");
    const waiting = [put("one"), put("two"), signIn(), signIn()].map(watched);
    await disk.waits("/");
    await answersOthers();
    const found = waiting.map(({ isAnswered }) => isAnswered());
    assert.deepEqual(
      found,
      waiting.map(() => false),
    );
    disk.release();
    for (const { answer } of waiting) assert.equal((await answer).status, 200);
  });

  it("makes a sign-in wait for its event, and for no other user's change", async () => {
    disk.hold("/events/");
    const signingIn = watched(signIn());
    await disk.waits("/events/");
    await answersOthers();
    assert.equal(signingIn.isAnswered(), false, "it did not wait");
    disk.release();
    assert.equal((await signingIn.answer).status, 200);
    disk.hold("settings.json");
    const change = watched(put("at the same time"));
    await disk.waits("settings.json");
    assert.equal((await signIn()).status, 200);
    assert.equal(change.isAnswered(), false);
    disk.release();
    assert.equal((await change.answer).status, 200);
  });
});

/** An answer that is under way, or not any more. */
function watched(answer: Promise<Answer>): { answer: Promise<Answer>; isAnswered: () => boolean } {
  let isAnswered = false;
  void answer.then(() => {
    isAnswered = true;
  });
  return { answer, isAnswered: () => isAnswered };
}
