/**
 * An OpenID provider: the package oidc-provider behind HTTPS on loopback, with its own pages for signing in. Arguments: its
 * key, certificate, redirect URI; prints its issuer.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { Provider } from "oidc-provider";

const [key, cert, redirectUri] = process.argv.slice(2);

/** The people who are known there, by the name that they type, and their groups. */
const groups = { ada: ["plant-operators"], grace: ["plant-admins", "staff"], edsger: ["visitors"] };

const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) });
server.listen(0, "127.0.0.1", () => {
  const issuer = `https://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "edge-7",
        client_secret: "a secret of the plant",
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    scopes: ["openid", "profile", "groups"],
    claims: { openid: ["sub"], profile: ["name", "preferred_username"], groups: ["groups"] },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        name: `${id} of the plant`,
        preferred_username: id,
        groups: groups[id] ?? [],
      }),
    }),
    pkce: { required: () => true },
    cookies: { keys: ["of this run alone"] },
  });
  server.on("request", provider.callback());
  console.log(issuer);
});
