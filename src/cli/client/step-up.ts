import { StewardError } from "../../contract/errors.ts";
import type { OperationId } from "../../contract/operations.ts";
import type { Input, Output, User } from "../../contract/types.ts";
import type { Ask } from "../../terminal/prompt.ts";
import type { Client } from "./context.ts";

/** Password, and code or recovery code where the user has a second factor. */
export type Proof = Input<"reauthenticate">["body"];

/** Repeats a request once that needs the password confirmed. `prove` may return undefined: then the refusal is final. */
export function withStepUp(client: Client, prove: (client: Client) => Promise<Proof | undefined>): Client {
  let hasSteppedUp = false;
  return {
    ...client,
    async call<Id extends OperationId>(id: Id, input: Partial<Input<Id>>): Promise<Output<Id>> {
      try {
        return await client.call(id, input);
      } catch (error) {
        if (!(error instanceof StewardError) || error.code !== "step_up_required" || hasSteppedUp)
          throw error;
        const body = await prove(client);
        if (body === undefined) throw error;
        await client.call("reauthenticate", { body });
        hasSteppedUp = true;
        return client.call(id, input);
      }
    },
  };
}

export async function askProof(ask: Ask, { username, two_factor }: User): Promise<Proof> {
  const password = await ask(`Password of ${username}: `);
  return two_factor.enabled ? { password, ...(await askFactor(ask, username)) } : { password };
}

/** Asks for a code or a recovery code. An answer with a letter, or that is too long, is a recovery code. */
export async function askFactor(
  ask: Ask,
  username: string,
  which = "Code",
): Promise<{ code: string } | { recovery_code: string }> {
  const answer = await ask(`${which} of ${username} (or a recovery code): `);
  const isCode = /^[\d\s-]*$/.test(answer) && answer.replace(/\D/g, "").length <= 8;
  return isCode ? { code: answer } : { recovery_code: answer };
}
