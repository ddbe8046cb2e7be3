import "../styles/lists.ts";
import { adopt } from "../styles/adopt.ts";
import style from "../styles/events.css?inline";
import { EventsPage } from "../system/events/events-page.tsx";

adopt(style);

/** The page of events, by path. */
export const pages = { "/system/events": EventsPage };
