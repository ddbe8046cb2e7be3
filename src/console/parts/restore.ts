import { RestorePage } from "../setup/restore/restore-page.tsx";

/** Makes the device of a backup; loaded when the first run is left for it. */
export const Body = RestorePage;
