import { join } from "node:path";
import { provision } from "../../accounts/sign-in/first-administrator.ts";
import { provisionToken } from "../../accounts/tokens/first-token.ts";
import { isOfStorage, messageOf } from "../../contract/errors.ts";
import { textOf } from "../../contract/text/text-of.ts";
import { agentEvent } from "../../journal/events/event.ts";
import { withoutRepeats } from "../../journal/logs/log.ts";
import type { AgentConfig } from "./config.ts";
import { credentialOf } from "./status/lost-credentials.ts";
import type { Rooms } from "./wiring.ts";

type Plan = Pick<AgentConfig, "credentialsDirectory" | "runDirectory" | "log">;

/** One step. False if only the disk prevented it. */
type Step = () => Promise<boolean>;

/**
 * There is no default account and no default password: the first administrator comes from a credential of systemd's, or
 * is created with a one-time token from the run directory. The first API token comes only from a credential. A step
 * that fails because the disk takes no writes is repeated when it takes them.
 */
export async function provisionDevice(config: Plan, rooms: Rooms): Promise<void> {
  const plan = { ...config, log: withoutRepeats(config.log) };
  const hasAdministrator = () => rooms.accounts.hasAdministrator();
  if (hasAdministrator()) await rooms.setupToken.remove();
  const left: Step[] = [];
  const steps: Step[] = [
    async () => hasAdministrator() || provisionAdministrator(plan, rooms),
    async () => hasAdministrator() || renewSetupToken(plan, rooms),
    // Its owner may be an administrator whom the disk has not taken yet.
    async () => (hasAdministrator() ? provisionFirstToken(plan, rooms) : left.length === 0),
  ];
  for (const step of steps) if (!(await step())) left.push(step);
  if (left.length === 0) return;
  const stop = rooms.disk.observe(async () => {
    for (const step of [...left]) if (await step()) left.splice(left.indexOf(step), 1);
    if (left.length === 0) stop();
  });
}

async function provisionAdministrator(plan: Plan, rooms: Rooms): Promise<boolean> {
  return using(plan, "steward.admin", async (credential) => {
    const username = await provision(rooms.accounts, rooms.passwords, credential);
    plan.log("notice", "the first administrator was made from the credential steward.admin", { username });
    await rooms.setupToken.remove();
  });
}

async function provisionFirstToken(plan: Plan, { accounts, apiTokens, events }: Rooms): Promise<boolean> {
  return using(plan, "steward.token", async (credential) => {
    const token = await provisionToken(accounts, apiTokens, credential);
    if (token === null) return;
    const { id, name, scopes, user_id } = token;
    const owner = accounts.get(user_id).username;
    plan.log("notice", "the first API token was made from the credential steward.token", { name, owner });
    await events.record({
      ...agentEvent("token.created", { scopes: [...scopes], owner }),
      subject: { id, name },
    });
  });
}

/** A credential that cannot be used is logged, and the agent starts without it. */
async function using(
  plan: Plan,
  name: string,
  work: (credential: string) => Promise<void>,
): Promise<boolean> {
  const credential = await credentialOf(plan, name);
  try {
    if (credential !== null) await work(textOf(credential, { refuse: (why) => new Error(`it ${why}`) }));
    return true;
  } catch (error) {
    const detail = messageOf(error);
    plan.log("error", `the credential ${name} cannot be used`, { detail });
    return !isOfStorage(error);
  }
}

async function renewSetupToken({ runDirectory, log }: Plan, { setupToken }: Rooms): Promise<boolean> {
  const detail = setupToken.withholding();
  if (detail !== null) {
    await setupToken.remove();
    log("error", "no setup token was made", { detail });
    return true;
  }
  try {
    setupToken.renew();
  } catch (error) {
    if (!isOfStorage(error)) throw error;
    log("error", "the setup token cannot be written", { detail: error.message });
    return false;
  }
  log("notice", "setup is required", { setup_token_file: join(runDirectory, "setup-token") });
  return true;
}
