import { messageOf, StewardError } from "../../../contract/errors.ts";
import {
  type MakerPicture,
  type Picture,
  readPicture,
} from "../../../host/linux/host-file/maker-pictures.ts";
import { once } from "../../once.ts";
import type { AgentConfig } from "../config.ts";

/**
 * Reads a picture of the maker when it is first asked for, once: everyone who reaches the device may ask. null: the host
 * file names none, or the file is no longer as it was when the host file was checked, which the log says.
 */
export function createPictureReader(
  { maker, log }: Pick<AgentConfig, "maker" | "log">,
  which: MakerPicture,
): () => Promise<Picture | null> {
  return once(async () => {
    const path = maker?.[which] ?? null;
    if (maker === null || path === null) return null;
    try {
      return await readPicture(which, path, {
        own: maker.own,
        refuse: (path, why) => new StewardError("validation_failed", `${path} ${why}`),
      });
    } catch (error) {
      const said = `the maker's ${which} is not shown: correct the file, then restart the agent`;
      log("warning", said, { detail: messageOf(error) });
      return null;
    }
  });
}
