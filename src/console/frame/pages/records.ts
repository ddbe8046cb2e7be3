import { EventsPage } from "../../system/events/events-page.tsx";
import { LogsPage } from "../../system/logs/logs-page.tsx";

/** What was written down, by path. */
export const pages = { "/system/logs": LogsPage, "/system/events": EventsPage };
