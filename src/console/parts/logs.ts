import "../styles/parts/lists.css";
import "../styles/parts/logs.css";
import { LogsPage } from "../system/logs/logs-page.tsx";

/** The page of the log, by path. */
export const pages = { "/system/logs": LogsPage };
