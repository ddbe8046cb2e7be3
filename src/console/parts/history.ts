import { adopt } from "../styles/parts/adopt.ts";
import style from "../styles/parts/history.css?inline";
import { HistoryPage } from "../system/history/history-page.tsx";
import { WeekLine } from "../system/history/week-line.tsx";

adopt(style);

/** The page of the last days, by path. */
export const pages = { "/system/history": HistoryPage };

/** A week on a tile of Home. */
export const Body = WeekLine;
