import { EventsPage } from "../../system/events/events-page.tsx";
import { LogsPage } from "../../system/logs/logs-page.tsx";
import { OverviewPage } from "../../system/overview-page.tsx";

/** Pages that show how the device is, by path. */
export const pages = { "/system": OverviewPage, "/system/logs": LogsPage, "/system/events": EventsPage };
