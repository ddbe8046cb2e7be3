import { join } from "node:path";
import type { Host } from "../../../host/host.ts";
import { usualDirectories } from "../../../installer/files/release-directories.ts";
import type { MakeSupportBundle } from "../../../system/support-bundle.ts";
import type { RoomsConfig } from "../config.ts";
import { agentSocket } from "../listeners/local-listeners.ts";

export async function openSupportBundle(
  { node, assetsDirectory, stateDirectory, runDirectory, hostFile, installer }: RoomsConfig,
  { startFilter, time: { timers } }: Pick<Host, "startFilter" | "time">,
): Promise<MakeSupportBundle> {
  const { createSupportBundle } = await import("../../../system/support-bundle.ts");
  const { releases, trust } = installer?.directories ?? usualDirectories;
  return createSupportBundle({
    node,
    script: join(assetsDirectory, "main.js"),
    start: startFilter,
    timers,
    // As cli/client/places.ts reads them.
    places: {
      STEWARD_SOCKET: agentSocket(runDirectory),
      STEWARD_STATE: stateDirectory,
      STEWARD_HOST_FILE: hostFile,
      STEWARD_RELEASES: releases,
      STEWARD_TRUST: trust,
    },
  });
}
