import { arch } from "node:os";

/** The kinds of machines that packages are built for, as Debian calls them, and what others call them; `libraries`: of
 * the cross compiler, for the emulator. */
export const machines = {
  amd64: {
    cpu: "x64",
    compiler: "x86_64-linux-gnu-gcc",
    emulator: "qemu-x86_64-static",
    libraries: "/usr/x86_64-linux-gnu",
  },
  arm64: {
    cpu: "arm64",
    compiler: "aarch64-linux-gnu-gcc",
    emulator: "qemu-aarch64-static",
    libraries: "/usr/aarch64-linux-gnu",
  },
} as const;

export type Machine = keyof typeof machines;

export const isMachine = (name: string): name is Machine => name in machines;

/** The words before a program for another kind of machine. */
export function emulation(machine: Machine): string[] {
  const { cpu, emulator, libraries } = machines[machine];
  return cpu === arch() ? [] : [emulator, "-L", libraries];
}
