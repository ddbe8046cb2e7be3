interface Mounted {
  /** A device such as /dev/sda2, or the kind of one in memory, of which there may be several. */
  readonly fs: string;
  readonly mount: string;
}

/** File systems as df lists them, each device once: by the shortest of the paths that it is mounted at, as bind mounts are. */
export function mountedOnce<T extends Mounted>(all: readonly T[]): T[] {
  const byLength = [...all].sort((one, other) => one.mount.length - other.mount.length);
  return all.filter((one) => !one.fs.startsWith("/") || one === byLength.find(({ fs }) => fs === one.fs));
}
