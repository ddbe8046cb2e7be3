import "../styles/parts/lists.ts";
import { adopt } from "../styles/parts/adopt.ts";
import style from "../styles/parts/logs.css?inline";
import { LogsPage } from "../system/logs/logs-page.tsx";

adopt(style);

/** The page of the log, by path. */
export const pages = { "/system/logs": LogsPage };
