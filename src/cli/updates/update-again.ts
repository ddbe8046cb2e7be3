import type { Release, SetAsideRelease, Updates } from "../../contract/types.ts";
import { CommandError, OnlyExitCode } from "../client/context.ts";
import { requireLocal } from "../client/places.ts";
import type { Invocation } from "../framework/command.ts";
import { releaseWords } from "./update-words.ts";

/**
 * Has the installer forget that these releases failed here: the available ones, else the last of each kind, for a stick
 * may hold it. Held and deferred releases need no such permission. Throws CommandError: 5 (there is none), and what the installer ends with.
 */
export async function forgive(
  { places, context, output }: Invocation,
  status: Updates,
  kinds: readonly Release["kind"][],
): Promise<void> {
  requireLocal(places, "update apply --again");
  const releases = kinds.flatMap((kind) => failedOf(status, kind));
  if (releases.length === 0) {
    throw new CommandError(
      5,
      "No release of that kind has failed here; leave --again out. See steward update status.",
    );
  }
  for (const release of releases) {
    const code = await context.runInstaller(["forgive", release.id], places);
    if (code !== 0) throw new OnlyExitCode(code);
    await output.remark(`${releaseWords(release)} may be tried again.`);
  }
}

function failedOf({ available, failed }: Updates, kind: Release["kind"]): SetAsideRelease[] {
  const all = failed.filter((release) => release.kind === kind);
  const onOffer = all.filter(({ id }) => id === available[kind]?.id);
  if (onOffer.length > 0) return onOffer;
  return all.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at)).slice(0, 1);
}
