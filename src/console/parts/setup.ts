import { FirstRun } from "../setup/first-run.tsx";

/** Makes the first administrator, and one in a rescue. */
export const Body = FirstRun;
