import "../styles/plot.ts";
import { adopt } from "../styles/adopt.ts";
import style from "../styles/history.css?inline";
import weekLineStyle from "../styles/week-line.css?inline";
import { HistoryPage } from "../system/history/history-page.tsx";
import { WeekLine } from "../system/history/week-line.tsx";

adopt(style + weekLineStyle);

/** The page of the last days, by path. */
export const pages = { "/system/history": HistoryPage };

/** A week on a tile of Home. */
export const Body = WeekLine;
