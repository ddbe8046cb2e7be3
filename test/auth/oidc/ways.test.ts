/** The agent at a certified provider. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { context } from "../../../lab/simulated/virtual-sign-in.ts";
import { startCertifiedProvider } from "./certified-provider.ts";
import { device, host } from "./device-with-provider.ts";

const real = await startCertifiedProvider();
after(() => real.stop());

describe("a device at a certified provider", () => {
  it("signs in by its default configuration, which says who they are and no more", async () => {
    const issuer = real.become({});
    // The provider goes by the time of this machine.
    host.step(Math.floor(Date.now() / 1_000) - host.time.nowSeconds());
    const roles = { admin: [], operator: ["ada"], readonly: [] };
    const here = await device({ issuer, caFile: real.caFile, groupClaim: "sub", roles });
    const { authorization_url, flow_token } = await here.begin();
    const query = await real.browser().visit(authorization_url);
    const { user } = (await here.singleSignOn.finish({ flow_token, query }, context)).session;
    assert.deepEqual([user.role, user.username], ["operator", "person"]);
  });
});
