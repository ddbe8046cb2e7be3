/** What the rooms ask of the host; interfaces only. `host/linux` holds the real ones. */

/** Who this host and this boot are. */
export interface HostIdentity {
  /** 128 bits in hex, the same as long as the operating system is installed. */
  readonly deviceId: string;
  /** The kernel's id of this boot. */
  readonly bootId: string;
  /** Pretty name of the operating system. */
  readonly os: string;
  readonly kernel: string;
  readonly arch: string;
  readonly hostname: string;
}

/** Seconds of CLOCK_BOOTTIME: it runs through suspension, and no step of the wall clock moves it. */
export type Uptime = () => number;
