import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import type { Answer } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

/** Calls of each, so that most of them wait for the first one's write and are written together. */
const times = 12;

describe("calls at the same moment", () => {
  const agent = ofSuite(startCheckedAgent);
  before(() => agent.signedInAdmin());

  const root = (method: string, path: string, body?: object) =>
    agent.call(method, path, { local: true, ...(body && { body }) });
  let made = 0;
  const newUser = async (): Promise<string> => {
    made += 1;
    const body = { username: `user-${made}`, role: "operator", password: goodPassword };
    return (await root("POST", "/api/users", body)).json.id;
  };
  const newToken = async (): Promise<{ id: string; token: string }> => {
    const owner = await newUser();
    const body = { name: "scraper", scopes: ["system:read"], user_id: owner, expires_in: "1d" };
    return (await root("POST", "/api/tokens", body)).json;
  };
  const many = (ask: (index: number) => Promise<Answer>): Promise<Answer[]> =>
    Promise.all(Array.from({ length: times }, (_, index) => ask(index)));
  const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();

  it("rotate one's own token: each gets a successor of its own, and the last one's lives", async () => {
    const { token } = await newToken();
    const answers = await many(() => agent.call("POST", "/api/tokens/self/rotate", { token }));
    assert.deepEqual(statusesOf(answers), Array(times).fill(201));
    assert.equal(new Set(answers.map(({ json }) => json.id)).size, times);
    const read = ({ json }: Answer) => agent.call("GET", "/api/status", { token: json.token });
    assert.deepEqual(statusesOf(await Promise.all(answers.map(read))), [200, ...Array(times - 1).fill(401)]);
  });

  it("rotate a token without an overlap: one gets the successor, and to the others the token is gone", async () => {
    const { id } = await newToken();
    const answers = await many(() => root("POST", `/api/tokens/${id}/rotate`, { overlap: "0s" }));
    assert.deepEqual(statusesOf(answers), [201, ...Array(times - 1).fill(404)]);
  });

  it("change a user: each answer has what its call has set", async () => {
    const path = `/api/users/${await newUser()}`;
    const answers = await many((index) => root("PUT", path, { display_name: `name ${index}` }));
    for (const [index, { json }] of answers.entries()) assert.equal(json.display_name, `name ${index}`);
  });

  it("reset a password and delete the user: the password that was set, or no such user", async () => {
    const path = `/api/users/${await newUser()}`;
    const resets = many(() => root("POST", `${path}/password-reset`, {}));
    assert.equal((await root("DELETE", path)).status, 204);
    for (const { status, json } of await resets)
      assert.ok(status === 200 || ["not_found", "hashing_busy"].includes(json.code), `${status}`);
  });
});
