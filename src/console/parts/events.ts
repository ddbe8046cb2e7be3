import "../styles/parts/lists.css";
import "../styles/parts/events.css";
import { EventsPage } from "../system/events/events-page.tsx";

/** The page of events, by path. */
export const pages = { "/system/events": EventsPage };
