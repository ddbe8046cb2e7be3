import { StewardError } from "../../contract/errors.ts";
import { type Finding, findingsOf } from "./finding.ts";
import type { Ground } from "./ground.ts";

const { ok, failing } = findingsOf("host file");

/** Whether the agent would start with the host file. */
export async function lookAtHostFile({ places, host }: Ground): Promise<Finding[]> {
  const { hostFile } = places;
  try {
    await host.readHostFile(hostFile);
    return [ok({ code: "usable", what: `${hostFile} is absent or valid.` })];
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    const repair = /As root: (.+)\.$/.exec(error.message)?.[1];
    return [
      failing({
        code: "refused",
        what: error.message,
        meaning: "The agent does not start before this is mended.",
        command: repair ?? `editor ${hostFile}`,
      }),
    ];
  }
}
