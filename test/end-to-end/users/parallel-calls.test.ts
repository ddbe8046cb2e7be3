import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import type { Answer } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

/** Calls of each, so that most of them wait for the first one's write and are written together. */
const times = 12;

interface Row {
  readonly what: string;
  /** The calls, made at the same moment; called once the state that they are about is there. */
  readonly calls: () => Promise<readonly (() => Promise<Answer>)[]>;
  /** True for an answer that tells what its own call has done; the index is that of the call. */
  readonly isRight: (answer: Answer, index: number) => boolean;
  /** Throws unless all of them together are right. */
  readonly all?: (answers: readonly Answer[]) => void | Promise<void>;
}

describe("calls at the same moment", () => {
  const agent = ofSuite(startCheckedAgent);
  let admin: { id: string; token: string };
  before(async () => {
    admin = await agent.signedInAdmin();
  });

  const root = (method: string, path: string, body?: object) =>
    agent.call(method, path, { local: true, ...(body && { body }) });
  let made = 0;
  const newUser = async (): Promise<string> => {
    made += 1;
    const { status, json, text } = await root("POST", "/api/users", {
      ...{ username: `user-${made}`, role: "operator", password: "quiet otters borrow umbrellas" },
    });
    assert.equal(status, 201, text);
    return json.id;
  };
  const newToken = async (owner: string): Promise<{ id: string; token: string }> => {
    const body = { name: "scraper", scopes: ["system:read"], user_id: owner, expires_in: "1d" };
    const { status, json, text } = await root("POST", "/api/tokens", body);
    assert.equal(status, 201, text);
    return json;
  };
  const many = <T>(make: (index: number) => T): T[] =>
    Array.from({ length: times }, (_, index) => make(index));
  const distinct = (answers: readonly Answer[]) => new Set(answers.map(({ json }) => json.id)).size;

  const rows: readonly Row[] = [
    {
      what: "rotate one's own token: each gets a successor of its own, and the last one's lives",
      calls: async () => {
        const { token } = await newToken(await newUser());
        return many(() => () => agent.call("POST", "/api/tokens/self/rotate", { token }));
      },
      isRight: ({ status, json }) => status === 201 && json.name === "scraper",
      all: async (answers) => {
        assert.equal(distinct(answers), times);
        const read = ({ json }: Answer) => agent.call("GET", "/api/status", { token: json.token });
        const statuses = (await Promise.all(answers.map(read))).map(({ status }) => status);
        assert.deepEqual(statuses.sort(), [200, ...Array(times - 1).fill(401)]);
      },
    },
    {
      what: "rotate a token without an overlap: one gets the successor, and to the others the token is gone",
      calls: async () => {
        const { id } = await newToken(await newUser());
        return many(() => () => root("POST", `/api/tokens/${id}/rotate`, { overlap: "0s" }));
      },
      isRight: ({ status }) => status === 201 || status === 404,
      all: (answers) => assert.equal(answers.filter(({ status }) => status === 201).length, 1),
    },
    {
      what: "change a user: each answer has what its call has set",
      calls: async () => {
        const id = await newUser();
        return many((index) => () => root("PUT", `/api/users/${id}`, { display_name: `name ${index}` }));
      },
      isRight: ({ status, json }, index) => status === 200 && json.display_name === `name ${index}`,
    },
    {
      what: "reset a password and delete the user: the password that was set, or no such user",
      calls: async () => {
        const id = await newUser();
        const reset = () => root("POST", `/api/users/${id}/password-reset`, {});
        return [...many(() => reset), () => root("DELETE", `/api/users/${id}`)];
      },
      isRight: ({ status, json }, index) =>
        index === times
          ? status === 204
          : json.code === "not_found" || json.code === "hashing_busy" || status === 200,
    },
  ];

  for (const { what, calls, isRight, all } of rows)
    it(what, async () => {
      const ready = await calls();
      const answers = await Promise.all(ready.map((call) => call()));
      for (const [index, answer] of answers.entries())
        assert.ok(isRight(answer, index), `${index}: ${answer.status} ${answer.text}`);
      await all?.(answers);
      assert.equal((await agent.call("GET", "/api/status", { token: admin.token })).status, 200);
    });
});
