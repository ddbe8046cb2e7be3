import type { DoctorContext } from "./doctor-context.ts";
import { type Entry, entriesOf, entryOf } from "./finding.ts";

const { ok } = entriesOf("host file");

/** Says which parts of the host file are not in force. */
export async function lookAtHostFile({ places, host }: DoctorContext): Promise<Entry[]> {
  const { trouble } = await host.hostFile.inForce(places.hostFile);
  return [trouble === null ? ok("usable", `${places.hostFile} is absent or valid.`) : entryOf(trouble)];
}
