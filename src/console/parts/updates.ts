import { adopt } from "../styles/parts/adopt.ts";
import style from "../styles/parts/updates.css?inline";
import { UpdatesPage } from "../updates/updates-page.tsx";

adopt(style);

/** The updates, by path. */
export const pages = { "/updates": UpdatesPage };
