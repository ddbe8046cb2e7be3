import type { SessionList, User } from "../../contract/types.ts";
import { agreesTo, dryRunOption } from "../../terminal/commands/consent.ts";
import type { Table } from "../../terminal/table.ts";
import { allPages } from "../client/all-pages.ts";
import type { Command } from "../client/command.ts";
import { onUser } from "./user-command.ts";
import { findUser } from "./user-lookup.ts";
import { countTokens } from "./user-view.ts";

const list = onUser(
  "sessions list",
  "List a user's sessions, the last used first",
  async ({ client, output }, name) => {
    const user = await findUser(client, name);
    const sessions = await allPages((page) =>
      client.call("listSessions", { query: { user_id: user.id, ...page } }),
    );
    await output.table(sessions, sessionTable(sessions));
    if (user.tokens > 0) await output.remark(tokensBeside(user));
  },
);

const revoke: Command = {
  ...onUser("sessions revoke", "End a user's sessions: all, or the one named", async (invocation, name) => {
    const { options, client, output } = invocation;
    const user = await findUser(client, name);
    const { id } = user;
    const sid = options.text("session");
    const says = [
      sid === undefined
        ? `All sessions of ${name} end, in every browser and program. ${tokensBeside(user)}`
        : `The session ${sid} of ${name} ends.`,
      `To come back, ${name} signs in again.`,
    ];
    if (sid === undefined) {
      if (!(await agreesTo(invocation, { says, question: `End all sessions of ${name}?` }))) return;
      await client.call("endUserSessions", { params: { id } });
      return output.remark(`All sessions of ${name} have ended. ${tokensBeside(user)}`);
    }
    // A single session needs no confirmation: its user can sign in again in a moment.
    if (options.has("dry-run")) return output.values({ dry_run: true, would_happen: says }, says);
    await client.call("endSession", { params: { sid }, query: { user_id: id } });
    return output.remark(`The session ${sid} of ${name} has ended.`);
  }),
  options: [{ name: "session", value: "ID", summary: "end only this one" }, dryRunOption],
};

export const sessionCommands: readonly Command[] = [list, revoke];

/** The sentence about the API tokens, which the end of sessions does not change. */
function tokensBeside({ username, tokens }: User): string {
  if (tokens === 0) return "There are no API tokens.";
  const stay = `${countTokens(tokens)} ${tokens === 1 ? "stays" : "stay"} good`;
  return `${stay}: steward token list --user ${username}. A new password ends ${tokens === 1 ? "it" : "them"}: steward user passwd ${username}`;
}

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
