import { join } from "node:path";
import { type Account, accountsKind } from "../../src/accounts/users/account.ts";
import { newAccount } from "../../src/accounts/users/new-account.ts";
import { createTimers } from "../../src/host/linux/timers.ts";
import { agentEvent } from "../../src/journal/events/event.ts";
import { openEventLog } from "../../src/journal/events/event-log.ts";
import { createReserve } from "../../src/store/files/reserve.ts";
import { startAgentInProcess } from "../agents/agent-in-process.ts";
import type { RunningAgent } from "../agents/running-agent.ts";
import { type Ending, temporaryDirectory } from "../basics/ending.ts";
import { change } from "../state/event-directory.ts";
import { open } from "../state/state-directory.ts";
import { addUsers } from "./browser.ts";

const roles = ["readonly", "readonly", "readonly", "operator"] as const;

/**
 * Milliseconds: three days, as most events of a device are days old. A page says so however slow the machine is; of what
 * is just now it says something longer a minute later.
 */
const eventAge = 3 * 86_400_000;

/** An agent whose files have so many users and events, written by the stores' own code. */
export async function startFullAgent(
  ending: Ending,
  { users, events }: { readonly users: number; readonly events: number },
): Promise<RunningAgent> {
  const stateDirectory = join(await temporaryDirectory(ending), "state");
  const first = await startAgentInProcess({ stateDirectory });
  await addUsers(first, ["admin"]);
  await first.stop();
  await addAccounts(stateDirectory, users);
  await addEvents(stateDirectory, events);
  const agent = await startAgentInProcess({ stateDirectory });
  ending.after(() => agent.dispose());
  return agent;
}

/** All with the password of the administrator, whose hash they share. */
async function addAccounts(directory: string, users: number): Promise<void> {
  const document = await open(directory, accountsKind, { isFirstStart: false });
  const [admin] = document.read().accounts;
  if (!admin) throw new Error("there is no administrator");
  const at = new Date("2026-01-01T00:00:00Z");
  const made = Array.from({ length: users - 1 }, (_, index): Account => {
    const role = roles[index % roles.length] ?? "readonly";
    const { password_hash } = admin;
    const username = `user-${String(index).padStart(4, "0")}`;
    const account = newAccount(at, { username, role, password_hash, password_state: "chosen" });
    return { ...account, enabled: index % 100 !== 7 };
  });
  await document.update((state) => ({ accounts: [...state.accounts, ...made] }));
  await document.close();
}

async function addEvents(stateDirectory: string, count: number): Promise<void> {
  const directory = join(stateDirectory, "events");
  const events = await openEventLog({
    directory,
    log: () => undefined,
    now: () => new Date(Date.now() - eventAge),
    reserve: createReserve(directory),
    timers: createTimers(),
    uptime: () => performance.now() / 1_000,
  });
  for (let index = 0; index < count; index += 1) {
    const isAboutUser = index % 50 === 0;
    const written = events.record(
      isAboutUser
        ? change(`user-${index}`, { enabled: true })
        : // Equal ones would be one line.
          agentEvent("clock.sync_requested", { force: index % 2 === 0 }),
    );
    // No more than a hundred events wait for the disk at once.
    if (index % 100 === 0) await written;
  }
  await events.close();
}
