import { adopt } from "../styles/adopt.ts";
import style from "../styles/updates.css?inline";
import { UpdatesPage } from "../updates/updates-page.tsx";

adopt(style);

/** The updates, by path. */
export const pages = { "/updates": UpdatesPage };
