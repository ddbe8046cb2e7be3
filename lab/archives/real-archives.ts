import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** An archive as a real tool makes it. */
export interface RealArchive {
  readonly name: string;
  /** Shell (bash), run beside the folder `t`; it makes x.tar.gz. */
  readonly script: string;
  /** The sentence of devices against it; null: they take it. */
  readonly refusal: RegExp | null;
  /** The remark of `add`; none if not given. */
  readonly remark?: RegExp;
}

/** As the file says, which has the form in its first lines. */
export const realArchives: readonly RealArchive[] = [
  ...readFileSync(join(import.meta.dirname, "real-archives.txt"), "utf8").matchAll(
    /^(\S.*) => (taken|refused)(?: \/(.*)\/)?\n((?: {2}.*\n)+)/gm,
  ),
].map(([, name = "", verdict, words, script = ""]) => ({
  ...{ name, script: script.replaceAll(/^ {2}/gm, "").trimEnd() },
  refusal: verdict === "refused" ? new RegExp(words ?? "") : null,
  ...(verdict === "taken" && words !== undefined && { remark: new RegExp(words) }),
}));

/** Words of the scripts. */
const functions = `
pack() { tar -czf x.tar.gz -C t .; }
hole() { truncate -s 5M t/db.img; echo end >> t/db.img; }
holes() {
  rm t/base.conf
  for i in $(seq 0 40); do echo $i | dd of=t/db.img bs=1 seek=$((i * 262144)) conv=notrunc status=none; done
}
`;

/** Makes it in an empty directory; gives its path. */
export function makeRealArchive(directory: string, { script }: RealArchive): string {
  mkdirSync(join(directory, "t"), { recursive: true });
  const whole = `${functions}umask 022; set -e -o pipefail; chmod 755 t; echo flow > t/base.conf; ${script}`;
  execFileSync("bash", ["-c", whole], { cwd: directory, stdio: ["ignore", "ignore", "pipe"] });
  return join(directory, "x.tar.gz");
}
