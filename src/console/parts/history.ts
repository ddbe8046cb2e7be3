import "../styles/parts/history.css";
import { HistoryPage } from "../system/history/history-page.tsx";
import { WeekLine } from "../system/history/week-line.tsx";

/** The page of the last days, by path. */
export const pages = { "/system/history": HistoryPage };

/** A week on a tile of Home. */
export const Body = WeekLine;
