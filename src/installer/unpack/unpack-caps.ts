/** Every limit of unpacking, with its unit; a payload that goes beyond one is refused whole. */
export interface UnpackCaps {
  /** Entries, and directories that they lie in without naming them. */
  readonly entries: number;
  /** Symbolic links among them; they alone are kept in memory until the end. */
  readonly links: number;
  /** Bytes of the archive when it is decompressed: contents, headers and padding. */
  readonly bytes: number;
  /** Bytes of a name and of a link's target; of one component (NAME_MAX); components. */
  readonly nameBytes: number;
  readonly componentBytes: number;
  readonly components: number;
  /** Links that may have to be followed to where one leads (MAXSYMLINKS of Linux). */
  readonly linkHops: number;
  /** Decompressed bytes for each compressed one, looked at behind so many decompressed bytes. */
  readonly expansion: number;
  readonly expansionFreeBytes: number;
  /** Bytes that the file system keeps free, whatever a payload holds. */
  readonly reserveBytes: number;
  /** Bytes by which the file system hands out its space, as far as the reckoning goes: ext4's, and tmpfs's. */
  readonly blockBytes: number;
}

export const unpackCaps: UnpackCaps = {
  entries: 65_536,
  links: 4_096,
  bytes: 4 * 1024 ** 3,
  nameBytes: 1_024,
  componentBytes: 255,
  components: 64,
  linkHops: 40,
  expansion: 100,
  expansionFreeBytes: 1024 ** 2,
  reserveBytes: 64 * 1024 ** 2,
  blockBytes: 4_096,
};
