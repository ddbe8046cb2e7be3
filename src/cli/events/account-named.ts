import { StewardError } from "../../contract/errors.ts";
import { isUsername } from "../../contract/shapes.ts";
import { asUsername } from "../../contract/text/names.ts";
import type { AuditEvent, User } from "../../contract/types.ts";
import type { Invocation } from "../client/command.ts";
import { userNamed } from "../users/user-lookup.ts";

/** An account that no longer exists, and the times between which it did; null: the record does not say. */
interface FormerAccount {
  readonly id: string;
  readonly from: string | null;
  readonly to: string;
}

/**
 * The filter for a name as a person types it: the id of the account that has the name, else of the last one that had it,
 * since two people may have had it one after the other. Any other text stays as it is.
 */
export async function accountNamed({ client, output }: Invocation, text: string): Promise<string> {
  const name = asUsername(text);
  if (!isUsername(name)) return text;
  let present: User | undefined;
  try {
    present = await userNamed(client, name);
  } catch (error) {
    if (!(error instanceof StewardError && error.status === 403)) throw error;
    await output.remark("Only who may list users can tell two of one name apart: all names are searched.");
    return text;
  }
  const eventsOf = async (type: "user.created" | "user.deleted") =>
    (await client.call("listEvents", { query: { type, name, limit: 200 } })).items.filter(
      ({ subject }) => subject?.name === name && subject.id !== present?.id,
    );
  const former = formerAccounts(await eventsOf("user.created"), await eventsOf("user.deleted"));
  const [last, ...earlier] = former;
  if (last === undefined) return present?.id ?? text;
  if (present === undefined)
    await output.remark(`There is no user ${name} now. These events are of the one who was ${lifeOf(last)}.`);
  for (const one of present ? former : earlier)
    await output.remark(
      `Another ${name} was ${lifeOf(one)}, and is left out: steward events --name ${one.id}`,
    );
  return present?.id ?? last.id;
}

/** The last deleted first, as the agent gives events. */
function formerAccounts(made: readonly AuditEvent[], gone: readonly AuditEvent[]): FormerAccount[] {
  return gone.map(({ subject, time }) => {
    const id = subject?.id ?? "";
    return { id, from: made.find((one) => one.subject?.id === id)?.time ?? null, to: time };
  });
}

function lifeOf({ from, to }: FormerAccount): string {
  return `${from === null ? "" : `added at ${from} and `}deleted at ${to}`;
}
