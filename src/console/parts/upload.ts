import { UpdateFromFile } from "../updates/from-file.tsx";

/** Sending a file with updates; loaded when that is opened. */
export const Body = UpdateFromFile;
