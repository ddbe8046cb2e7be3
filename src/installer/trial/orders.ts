import type { ReleaseFiles } from "../../host/release-ports.ts";
import type { UpdateKind } from "../../releases/release.ts";
import { pathsOf, type ReleaseDirectories } from "../files/release-directories.ts";

/** Root's order during a trial: confirm the release as healthy, or undo it. */
export type Order = "confirm" | "abort";

/** The order that root has left; null: none. It is read before each step of a trial. */
export async function readOrder(
  files: ReleaseFiles,
  directories: ReleaseDirectories,
  kind: UpdateKind,
): Promise<Order | null> {
  const bytes = await files.read(pathsOf(directories).order(kind), 64);
  const text = bytes === null ? "" : Buffer.from(bytes).toString("utf8").trim();
  return text === "confirm" || text === "abort" ? text : null;
}

export async function leaveOrder(
  files: ReleaseFiles,
  directories: ReleaseDirectories,
  { kind, order }: { kind: UpdateKind; order: Order },
): Promise<void> {
  const paths = pathsOf(directories);
  await files.makeDirectory(paths.slot(kind), 0o755);
  await files.write(paths.order(kind), `${order}\n`, 0o644);
}
