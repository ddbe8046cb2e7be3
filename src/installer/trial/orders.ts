import type { ReleaseFiles } from "../../host/release-ports.ts";
import type { UpdateKind } from "../../releases/release.ts";
import { pathsOf, type ReleaseDirectories } from "../files/release-directories.ts";

/** What root can order a trial: to take it as healthy, or to undo it. */
export type Order = "confirm" | "abort";

/** The order that lies there; null: none. Whoever works on the trial reads it before each step. */
export async function readOrder(
  files: ReleaseFiles,
  directories: ReleaseDirectories,
  kind: UpdateKind,
): Promise<Order | null> {
  const bytes = await files.read(pathsOf(directories).order(kind), 64);
  const text = bytes === null ? "" : Buffer.from(bytes).toString("utf8").trim();
  return text === "confirm" || text === "abort" ? text : null;
}

/** Leaves an order for whoever works on the trial. */
export async function leaveOrder(
  files: ReleaseFiles,
  directories: ReleaseDirectories,
  { kind, order }: { kind: UpdateKind; order: Order },
): Promise<void> {
  const paths = pathsOf(directories);
  await files.makeDirectory(paths.slot(kind), 0o755);
  await files.write(paths.order(kind), `${order}\n`, 0o644);
}
