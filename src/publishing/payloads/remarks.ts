import { printableName } from "../../releases/payload/unsafe-payload.ts";
import type { TarEntry } from "../../store/archives/tar-entries.ts";
import { createFindings } from "./findings.ts";

/** By programs of macOS and Windows, and by readers of archives that do not know a form of it. */
const leftBehind =
  /^(\._.*|\.DS_Store|__MACOSX|Thumbs\.db|desktop\.ini|PaxHeaders?(\.\d+)?|GNUSparseFile\.\d+)$/i;

/** Folders with which a release may well begin. */
const usualTops = /^(bin|sbin|lib|lib64|etc|opt|share|srv|usr|var)$/;

const remarkOn = {
  leftBehind: "left behind by another system. Leave it out: tar --exclude=NAME; on macOS COPYFILE_DISABLE=1.",
  bits: "its setgid or sticky bit is left out.",
  secret: "not for everyone to read here, and on devices it is. Keep secrets out of releases.",
  capabilities: "its capabilities are left out. Give them in its unit: AmbientCapabilities=.",
  program: "looks like a program and is not executable. If it is one: chmod +x.",
} as const;

/** Remarks on what devices take and the maker of an archive may not mean. */
export function createRemarks() {
  const found = createFindings();
  const tops = new Map<string, boolean>();
  return {
    onEntry: (path: string, { type, mode, attributes }: TarEntry): void => {
      const components = path.split("/");
      const [top = ""] = components;
      tops.set(top, tops.get(top) || type === "5" || components.length > 1);
      if (components.some((one) => leftBehind.test(one))) found.add(remarkOn.leftBehind, path);
      if (!/^[05S]$/.test(type)) return;
      if ((mode & 0o7000) !== 0) found.add(remarkOn.bits, path);
      if ((mode & 0o004) === 0) found.add(remarkOn.secret, path);
      if ([...attributes.keys()].some((key) => key.endsWith("xattr.security.capability")))
        found.add(remarkOn.capabilities, path);
    },
    onContent: (path: string, first: Uint8Array, isExecutable: boolean): void => {
      if (!isExecutable && isProgram(path, first)) found.add(remarkOn.program, path);
    },
    all: (): string[] => {
      const remarks = found.all().map(({ entries, finding }) => `${entries}: ${finding}`);
      const [[name, isFolder] = ["", false], ...others] = tops;
      if (tops.size === 0) return ["The archive is empty."];
      if (others.length > 0 || !isFolder || usualTops.test(name)) return remarks;
      const folder = printableName(name);
      return [
        ...remarks,
        `${folder}: all is in this folder, on devices too. For its content alone: tar -C ${folder} .`,
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
