/** The limits of unpacking, with their units. A payload beyond any of them is refused as a whole. */
export interface PayloadCaps {
  /** Entries, and parent directories that the archive does not name. */
  readonly entries: number;
  /** Symbolic links among them. Only links are kept in memory until the end. */
  readonly links: number;
  /** Bytes of the decompressed archive: contents, headers and padding. */
  readonly bytes: number;
  /** Bytes of a name or a link's target; bytes of one component (NAME_MAX); number of components. */
  readonly nameBytes: number;
  readonly componentBytes: number;
  readonly components: number;
  /** Links followed to resolve one link (MAXSYMLINKS of Linux). */
  readonly linkHops: number;
  /** Decompressed bytes for each compressed one; not checked within the first `expansionFreeBytes`. */
  readonly expansion: number;
  readonly expansionFreeBytes: number;
  /** Bytes of a block of the file system, for the estimate of the space that is needed (ext4, tmpfs). */
  readonly blockBytes: number;
}

export const payloadCaps: PayloadCaps = {
  entries: 65_536,
  links: 4_096,
  bytes: 4 * 1024 ** 3,
  nameBytes: 1_024,
  componentBytes: 255,
  components: 64,
  linkHops: 40,
  expansion: 100,
  expansionFreeBytes: 1024 ** 2,
  blockBytes: 4_096,
};
