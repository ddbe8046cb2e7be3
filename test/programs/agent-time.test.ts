import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startObservingAgent } from "../../lab/agents/time-servers.ts";
import { until } from "../../lab/basics/until.ts";
import { standingTime } from "../../lab/simulated/test-time.ts";
import { ordinaryServer } from "../../lab/simulated/time-network.ts";

describe("an agent's time", () => {
  it("is one: three passes of ten seconds and the clock's checks after them step nothing and end no session", async (test) => {
    const time = standingTime();
    const served = time.servedClock();
    let checks = 0;
    const agent = await startObservingAgent(
      { servers: [ordinaryServer.address] },
      {},
      {
        time,
        openClock: (plan) => {
          const clock = served(plan);
          clock.onEvent(({ type }) => {
            if (type === "checked") checks += 1;
          });
          return clock;
        },
      },
    );
    test.after(() => agent.dispose());
    await until("the clock is trusted", async () => {
      time.pass(1);
      const { json } = await agent.call("GET", "/api/system/time-sync", { local: true });
      return json.trust !== "none";
    });
    const { token } = await agent.signedInAdmin();
    const sees = async () => {
      const { json } = await agent.call("GET", "/api/console");
      return Math.abs(Date.parse(json.server_time) - time.wall());
    };
    const before = checks;
    for (let pass = 0; pass < 4; pass += 1) {
      time.pass(10);
      assert.ok((await sees()) < 100, `${await sees()} ms after pass ${pass + 1}`);
    }
    // It is every 30 seconds.
    await until("the clock has been checked", () => checks > before);
    assert.ok((await sees()) < 100, `${await sees()} ms after the checks`);
    const { status, text } = await agent.call("GET", "/api/auth/me", { token });
    assert.equal(status, 200, text);
  });
});
