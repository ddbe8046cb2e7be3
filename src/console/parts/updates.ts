import { adopt } from "../styles/adopt.ts";
import style from "../styles/updates.css?inline";
import "../styles/settings.ts";
import { UpdatesPage } from "../updates/updates-page.tsx";

adopt(style);

/** The updates, by path; their settings stand with them. */
export const pages = { "/updates": UpdatesPage };
