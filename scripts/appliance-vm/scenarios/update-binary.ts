import { tryingBinaries } from "../../system-test/scenarios/update-binary.ts";

/** The scenario of the containers. Under emulation a health check takes seconds, and so do eight in a row. */
export const scenario = tryingBinaries(90);
