import assert from "node:assert/strict";
import { chmodSync, chownSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { asRoot } from "../../../lab/host/host-file-of-root.ts";
import { readAt, refused, write } from "../../../lab/host/judged-host-file.ts";

describe("the host file of a trial, away from the usual place", asRoot, () => {
  /** Debian's nobody: a user who is neither root nor, in the words of these tests, the one who runs the agent. */
  const other = 65_534;
  const self = 1_234;

  /** The owners of the file and of its folder, the folder's mode, the user whose files count besides root's, and the refusal. */
  type Row = readonly [
    name: string,
    file: number,
    folder: number,
    mode: number,
    own?: number | undefined,
    words?: string,
  ];
  const usual = "steward\\.json must belong to root and";
  const rows: readonly Row[] = [
    ["counts where it and its folder belong to the user who runs the agent", self, self, 0o700, self],
    ["counts where that user is root", 0, 0, 0o700, 0],
    ["counts where root has written it into that user's folder", 0, self, 0o700, self],
    ["does not count at the usual place", self, self, 0o700, undefined, usual],
    ["does not count where it is a third one's", other, self, 0o700, self, "must belong to root, or to the"],
    ["does not count in a third one's folder, who could replace it", self, other, 0o700, self, "FOLDER must"],
    ["does not count in a folder of its own that others can write", self, self, 0o770, self, "FOLDER must"],
    ["of root's does not count where another can move root's folder", 0, 0, 0o700, self, "TMP must belong"],
  ];
  for (const [name, file, folder, mode, own, words] of rows)
    it(name, async () => {
      const directory = scratchDirectory();
      const path = write(join(directory, "steward.json"), { product: "demo" });
      chmodSync(directory, mode);
      chownSync(path, file, 0);
      chownSync(directory, folder, 0);
      if (words === undefined) return assert.equal((await readAt(path, own)).product, "demo");
      await refused(path, new RegExp(words.replace("FOLDER", directory).replace("TMP", tmpdir())), own);
    });
});
