import { OverviewPage } from "../../system/overview-page.tsx";

/** How the device is, by path. */
export const pages = { "/system": OverviewPage };
