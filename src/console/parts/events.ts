import "../styles/parts/lists.ts";
import { adopt } from "../styles/parts/adopt.ts";
import style from "../styles/parts/events.css?inline";
import { EventsPage } from "../system/events/events-page.tsx";

adopt(style);

/** The page of events, by path. */
export const pages = { "/system/events": EventsPage };
