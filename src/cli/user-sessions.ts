import type { SessionList } from "../contract/types.ts";
import type { Command } from "./command.ts";
import type { Table } from "./table.ts";
import { findUser } from "./user-lookup.ts";

const list: Command = {
  path: ["user", "sessions", "list"],
  summary: "List a user's sessions, the last used first",
  positionals: [{ name: "NAME" }],
  options: [],
  worksOffline: true,
  async run({ positionals, client, output }) {
    const { id } = await findUser(client, positionals[0] ?? "");
    const sessions = await client.call("listSessions", { query: { user_id: id } });
    await output.table(sessions, sessionTable(sessions));
  },
};

const revoke: Command = {
  path: ["user", "sessions", "revoke"],
  summary: "End a user's sessions: all, or the one named",
  positionals: [{ name: "NAME" }],
  options: [{ name: "session", value: "ID", summary: "end this one only" }],
  worksOffline: true,
  async run({ positionals, options, client, output }) {
    const [name = ""] = positionals;
    const { id } = await findUser(client, name);
    const sid = options.text("session");
    if (sid === undefined) {
      await client.call("endUserSessions", { params: { id } });
      return output.remark(`All sessions of ${name} have ended.`);
    }
    await client.call("endSession", { params: { sid }, query: { user_id: id } });
    return output.remark(`The session ${sid} of ${name} has ended.`);
  },
};

export const sessionCommands: readonly Command[] = [list, revoke];

function sessionTable({ items }: SessionList): Table {
  return {
    heads: ["SESSION", "FROM", "BEGAN", "LAST USED", "ENDS AT THE LATEST", "CLIENT"],
    rows: items.map((one) => [
      one.id,
      one.address,
      one.created_at,
      one.last_used_at,
      one.expires_at,
      one.user_agent,
    ]),
  };
}
