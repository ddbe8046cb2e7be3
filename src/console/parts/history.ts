import "../styles/plot.ts";
import { adopt } from "../styles/adopt.ts";
import style from "../styles/history.css?inline";
import { HistoryPage } from "../system/history/history-page.tsx";

adopt(style);

/** The page of the last days, by path. */
export const pages = { "/system/history": HistoryPage };
