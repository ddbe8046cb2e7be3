import { tryingBinaries } from "./update-binary.scenario.ts";

/** The scenario of the containers. Under emulation a health check takes seconds, and so do eight in a row. */
export const scenario = tryingBinaries(90);
