/** The limits of unpacking, with their units. A payload beyond any of them is refused as a whole. */
export const payloadCaps = {
  /** Entries, and parent directories that the archive does not name. */
  entries: 65_536,
  /** Symbolic links among them. Only links are kept in memory until the end. */
  links: 4_096,
  /** Bytes of the decompressed archive: contents, headers and padding. */
  bytes: 4 * 1024 ** 3,
  /** Bytes of a name or a link's target; bytes of one component (NAME_MAX); number of components. */
  nameBytes: 1_024,
  componentBytes: 255,
  components: 64,
  /** Links followed to resolve one link (MAXSYMLINKS of Linux). */
  linkHops: 40,
  /** Decompressed bytes for each compressed one; not checked within the first `expansionFreeBytes`. */
  expansion: 100,
  expansionFreeBytes: 1024 ** 2,
  /** Bytes of a block of the file system, for the estimate of the space that is needed (ext4, tmpfs). */
  blockBytes: 4_096,
};

export type PayloadCaps = Readonly<typeof payloadCaps>;
