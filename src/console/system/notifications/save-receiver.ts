import type { Settings } from "../../../contract/types.ts";
import { call, callWithTag } from "../../client/call.ts";
import { codeOf, ProblemError } from "../../client/problem.ts";
import type { ReceiverSettings, TypedReceiver } from "./receiver-draft.ts";

/** Another user has changed or removed the receiver since its sheet was opened. Nothing was written. */
export class ChangedMeanwhile extends Error {
  /** null: it was removed. */
  readonly present: ReceiverSettings | null;

  constructor(present: ReceiverSettings | null) {
    super("the receiver was changed");
    this.present = present;
  }
}

/** A write is tried again at most this often because another user has changed settings. */
const mostTries = 4;

/** Writes and returns one receiver; `before`: as read, null: new. Throws ChangedMeanwhile, faults with pointers into it. */
export async function saveReceiver(
  receiver: ReceiverSettings,
  before: ReceiverSettings | null,
): Promise<ReceiverSettings> {
  let index = 0;
  try {
    const { notify } = await changeReceivers((present) => {
      index = before === null ? present.length : present.findIndex(({ name }) => name === before.name);
      const now = present[index] ?? null;
      if (JSON.stringify(now) !== JSON.stringify(before)) throw new ChangedMeanwhile(now);
      return present.toSpliced(index, 1, receiver);
    });
    return notify.receivers[index] ?? receiver;
  } catch (error) {
    throw errorsWithin(error, `/notify/receivers/${index}`);
  }
}

export function removeReceiver(removed: string): Promise<Settings> {
  return changeReceivers((present) => present.filter(({ name }) => name !== removed));
}

async function changeReceivers(
  change: (present: readonly ReceiverSettings[]) => readonly ReceiverSettings[],
): Promise<Settings> {
  for (let tries = 1; ; tries += 1) {
    const { value, etag } = await callWithTag("getSettings");
    const receivers = [...change(value.notify.receivers)];
    try {
      return await call("updateSettings", { body: { notify: { receivers } } }, { ifMatch: etag });
    } catch (error) {
      if (codeOf(error) !== "etag_mismatch" || tries === mostTries) throw error;
    }
  }
}

/** The same error with pointers that begin at `place`; those of single recipients are of the field that has all. */
function errorsWithin(error: unknown, place: string): unknown {
  if (!(error instanceof ProblemError)) return error;
  const errors = error.problem.errors?.map((one) => ({
    ...one,
    pointer: one.pointer.replace(place, "").replace(/^\/to\/\d+$/, "/to"),
  }));
  return new ProblemError({ ...error.problem, ...(errors && { errors }) });
}

/** Gives the secret that was typed, or has one made, which is returned. null: none was made. */
export async function saveSecret({
  name,
  kind,
  secretChoice,
  username,
  secret,
}: TypedReceiver): Promise<string | null> {
  const params = { name: name.trim() };
  if (kind !== "webhook") {
    if (secret === "" || (kind === "mail" && username.trim() === "")) return null;
    return (await call("setReceiverSecret", { params, body: { secret } })).secret;
  }
  if (secretChoice === "keep") return null;
  const body = secretChoice === "paste" ? { body: { secret: secret.trim() } } : {};
  return (await call("setReceiverSecret", { params, ...body })).secret;
}
