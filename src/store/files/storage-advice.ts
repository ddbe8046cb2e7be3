import { statfsSync } from "node:fs";
import { mountOf } from "./mount.ts";

/** The meaning of a system error at a write in `directory`, and a line to type: sentences that end an error message. */
export function storageAdvice(code: string, directory: string): string {
  const point = mountOf(directory)?.point ?? directory;
  switch (code) {
    case "EROFS":
      return readOnlyAdvice(directory);
    case "ENOSPC":
      return `${hasNoInode(point) ? crowdedAdvice(point) : fullAdvice(point)} Then repeat the change.`;
    case "EDQUOT":
      return `This user's disk quota on ${point} is used up: raise it or free some space, then repeat the change.`;
    case "EIO":
      return `The disk of ${point} answers with errors and may be failing: as root, \`dmesg | tail\` says more. Copy ${directory} to another disk, then check this one with fsck or replace it.`;
    case "EACCES":
    case "EPERM":
      return `This user cannot write in ${directory}: as root, \`ls -la ${directory}\` shows whose it is, and \`chown -R USER:GROUP ${directory}\` gives it back (the agent's are steward:steward).`;
    default:
      return `Check that ${directory} exists, is writable and not mounted read-only.`;
  }
}

/** The meaning of a read-only file system under `directory`, and a line to type. */
export function readOnlyAdvice(directory: string, mount = mountOf(directory)): string {
  const point = mount?.point ?? directory;
  const typed = `\`${writableLine(directory, mount)}\``;
  if (mount?.isReadOnlyHereAlone) {
    return `The file system at ${point} was mounted read-only when this process started, whatever it is now: ${typed} gives the service a new view of it, after \`mount -o remount,rw ${point}\` where root cannot write there either.`;
  }
  return (
    `The file system at ${point} is mounted read-only: the kernel does that when the disk reports errors, and a worn memory card ends that way. ` +
    `As root, \`dmesg | tail\` says why, and ${typed} makes it writable where the disk still allows it. If it does not stay so, replace the disk or card.`
  );
}

/** The line that makes `directory` writable for the agent again. */
export function writableLine(directory: string, mount = mountOf(directory)): string {
  if (mount?.isReadOnlyHereAlone) return "systemctl restart steward.service";
  return `mount -o remount,rw ${mount?.point ?? directory}`;
}

function hasNoInode(point: string): boolean {
  try {
    const { files, ffree } = statfsSync(point);
    return files > 0 && ffree === 0;
  } catch {
    return false;
  }
}

/** The advice that finds out which files fill the file system at `point`. */
export function fullAdvice(point: string): string {
  return `Free some space on ${point}: as root, \`${largestLine(point)}\` shows what takes it.`;
}

/** The advice that finds the directories with too many files for the file system at `point`. */
export function crowdedAdvice(point: string): string {
  return `Remove files on ${point}, however small: as root, \`${mostFilesLine(point)}\` shows the directories that hold the most.`;
}

export function largestLine(point: string): string {
  return `du -xah ${point} | sort -h | tail -n 20`;
}

/** The line that lists the directories with the most files in them (GNU du). */
export function mostFilesLine(point: string): string {
  return `du -x --inodes ${point} | sort -n | tail -n 20`;
}
