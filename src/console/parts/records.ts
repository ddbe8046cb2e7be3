import "../styles/lists.ts";
import { adopt } from "../styles/adopt.ts";
import style from "../styles/logs.css?inline";
import { EventsPage } from "../system/events/events-page.tsx";
import { LogsPage } from "../system/logs/logs-page.tsx";

adopt(style);

/** Pages of records, by path. */
export const pages = { "/system/logs": LogsPage, "/system/events": EventsPage };
