import "../styles/parts/updates.css";
import { UpdatesPage } from "../updates/updates-page.tsx";

/** The updates, by path. */
export const pages = { "/updates": UpdatesPage };
