import { StewardError } from "../../contract/errors.ts";
import { repairIn } from "../../contract/finding.ts";
import { type Entry, entriesOf } from "./finding.ts";
import type { Ground } from "./ground.ts";

const { ok, failing } = entriesOf("host file");

/** Whether the agent would start with the host file. */
export async function lookAtHostFile({ places, host }: Ground): Promise<Entry[]> {
  const { hostFile } = places;
  try {
    await host.readHostFile(hostFile);
    return [ok("usable", `${hostFile} is absent or valid.`)];
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    const detail = `${error.message} The agent does not start before this is mended.`;
    return [failing("refused", detail, repairIn(error.message) ?? `editor ${hostFile}`)];
  }
}
