import { messageOf, StewardError } from "../../../contract/errors.ts";
import { type Mark, readMark } from "../../../host/linux/host-file/mark.ts";
import type { AgentConfig } from "../config.ts";

/**
 * Reads the maker's mark when it is first asked for, once: everyone who reaches the device may ask. null: the host file
 * names none, or the file is no longer as it was when the host file was checked, which the log says.
 */
export function createMarkReader({
  maker,
  log,
}: Pick<AgentConfig, "maker" | "log">): () => Promise<Mark | null> {
  let reading: Promise<Mark | null> | undefined;
  const read = async (): Promise<Mark | null> => {
    if (maker === null || maker.mark === null) return null;
    const { mark, own } = maker;
    try {
      return await readMark(mark, { own, refuse });
    } catch (error) {
      const detail = messageOf(error);
      log("warning", "the maker's mark is not shown: correct the file, then restart the agent", { detail });
      return null;
    }
  };
  return () => (reading ??= read());
}

function refuse(path: string, why: string): StewardError {
  return new StewardError("validation_failed", `${path} ${why}`);
}
