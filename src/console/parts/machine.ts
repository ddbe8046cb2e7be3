import { MachineDialog } from "../system/facts/machine-dialog.tsx";

/** Turns the machine off, renames it, resets it. */
export const Body = MachineDialog;
