import { printableName } from "../../releases/payload/unsafe-payload.ts";
import type { TarEntry } from "../../store/archives/tar-entries.ts";
import { createFindings } from "./findings.ts";

/** By programs of macOS and Windows, and by readers of archives that do not know a form of it. */
const leftBehind =
  /^(\._.*|\.DS_Store|__MACOSX|Thumbs\.db|desktop\.ini|PaxHeaders?(\.\d+)?|GNUSparseFile\.\d+)$/i;

/** Folders with which a release may well begin. */
const usualTops = /^(bin|sbin|lib|lib64|etc|opt|share|srv|usr|var)$/;

/** Remarks on what devices take and the maker of an archive may not mean. */
export function createRemarks() {
  const found = createFindings();
  const tops = new Map<string, boolean>();
  return {
    onEntry: (path: string, { type, mode, attributes }: TarEntry): void => {
      const [top = "", ...below] = path.split("/");
      tops.set(top, tops.get(top) || type === "5" || below.length > 0);
      if ([top, ...below].some((component) => leftBehind.test(component)))
        found.add(
          "was left behind by another system or program. Leave it out with tar --exclude; on macOS set COPYFILE_DISABLE=1.",
          path,
        );
      if (type !== "0" && type !== "5") return;
      if ((mode & 0o7000) !== 0) found.add("has a setgid or sticky bit. Devices leave it out.", path);
      if ((mode & 0o004) === 0)
        found.add("is not for everyone to read. On devices it is: keep secrets out of releases.", path);
      if ([...attributes.keys()].some((key) => key.endsWith("xattr.security.capability")))
        found.add(
          "has capabilities. Devices leave them out: give them in its unit (AmbientCapabilities=).",
          path,
        );
    },
    onContent: (path: string, first: Uint8Array, isExecutable: boolean): void => {
      if (!isExecutable && isProgram(path, first))
        found.add("looks like a program and is not executable. Make it so with chmod +x.", path);
    },
    /** A sentence each. */
    all: (): string[] => {
      const remarks = found.all().map(({ entries, finding }) => `${entries} ${finding}`);
      const [only, ...others] = tops;
      if (!only) return ["The archive is empty."];
      const [name, isFolder] = only;
      if (others.length > 0 || !isFolder || usualTops.test(name)) return remarks;
      return [
        ...remarks,
        `All of it is in the folder ${printableName(name)}, as it will be on devices. If only its content is meant, pack with tar -C ${name} .`,
      ];
    },
  };
}

/** A script without an extension or a shell's, or ELF (e_type 2, or 3 where the name is not that of a library). */
function isProgram(path: string, first: Uint8Array): boolean {
  const name = path.split("/").at(-1) ?? "";
  const bytes = Buffer.from(first.subarray(0, 18));
  if (bytes.toString("latin1", 0, 2) === "#!") return /^[^.]+(\.sh)?$/.test(name);
  if (bytes.length < 18 || bytes.toString("latin1", 0, 4) !== "\x7fELF") return false;
  const type = bytes[5] === 2 ? bytes.readUInt16BE(16) : bytes.readUInt16LE(16);
  return type === 2 || (type === 3 && !name.includes("."));
}
