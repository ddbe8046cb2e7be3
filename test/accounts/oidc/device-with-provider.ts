import assert from "node:assert/strict";
import { after } from "node:test";
import { virtualHost } from "../../../lab/simulated/virtual-host.ts";
import { context, virtualSignIn } from "../../../lab/simulated/virtual-sign-in.ts";
import { createSingleSignOn } from "../../../src/accounts/oidc/single-sign-on.ts";
import { createAccessTokens } from "../../../src/accounts/tokens/access-tokens.ts";
import type { Person } from "../../../src/accounts/tokens/bearer.ts";
import { createTransfers } from "../../../src/host/linux/transfers/transfers.ts";
import type { Transfers } from "../../../src/host/ports.ts";
import type { SignInProvider } from "../../../src/host/provider-ports.ts";
import { clientId, clientSecret, type Json, type Lies, startLyingProvider } from "./lying-provider.ts";

/** In virtual time, as the provider is. */
export const host = virtualHost();
export const provider = await startLyingProvider(() => host.time.nowSeconds());
after(() => provider.stop());

export const origin = "https://edge-7.example.net:8443";

const config: SignInProvider = {
  ...{
    name: "Example Works",
    issuer: provider.issuer,
    clientId,
    clientSecretFile: "/etc/steward/oidc-secret",
  },
  ...{ origins: [origin], scopes: ["openid", "profile"], caFile: provider.caFile },
  ...{ groupClaim: "groups", nameClaim: "preferred_username" },
  roles: { admin: ["admins"], operator: ["operators"], readonly: ["guests"] },
  ...{ endpointOrigins: [], allowLocalServers: true },
};

/** To read the authorities of the runtime is most of what a device costs, so devices that trust the same share them. */
const transfers = new Map<string, Transfers>();

function transfersOf({ allowLocalServers, caFile }: SignInProvider): Transfers {
  const key = `${allowLocalServers} ${caFile}`;
  const known =
    transfers.get(key) ??
    createTransfers({ ...{ redirects: 0, allowLocalServers, caFile }, members: { ca_file: "oidc.ca_file" } });
  transfers.set(key, known);
  return known;
}

export const operator = {
  sub: "person-1",
  preferred_username: "Ada.Lovelace@example.com",
  groups: ["operators"],
};

/** The rooms of one device. A new one for each attempt: what it has read of the provider is forgotten. */
export async function device(change: Partial<SignInProvider> = {}, secret: string | null = clientSecret) {
  const rooms = await virtualSignIn(host, undefined, provider.issuer);
  const tokens = createAccessTokens(host);
  const common = { ...rooms, tokens, requiredAction: () => null };
  const singleSignOn = createSingleSignOn({
    ...common,
    config: { ...config, ...change },
    readSecret: async () => secret,
    openTransfers: transfersOf,
  });
  const begin = (person: Person | null = null) => singleSignOn.begin(origin, person, context);
  /** A whole sign-in, as a browser does it. */
  const signIn = async (who: Json = operator) => {
    const { authorization_url, flow_token } = await begin();
    return singleSignOn.finish({ flow_token, query: provider.visit(authorization_url, who) }, context);
  };
  const personOf = (id: string): Person => {
    const [session] = rooms.sessions.list(id);
    const account = rooms.accounts.find(id);
    assert.ok(session && account);
    return {
      ...{ kind: "user", account, session, requiredAction: null },
      ...{ isSteppedUp: false, isTolerated: false },
    };
  };
  return { ...common, singleSignOn, begin, signIn, personOf };
}

export type DeviceWithProvider = Awaited<ReturnType<typeof device>>;

/** A provider whose ID tokens have these claims. */
export const claims = (change: Json): Lies => ({ claims: (truth) => ({ ...truth, ...change }) });
