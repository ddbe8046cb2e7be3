import { MachineDialog } from "../system/facts/machine-dialog.tsx";

/** Turns the machine off, names it anew, resets it. */
export const Body = MachineDialog;
