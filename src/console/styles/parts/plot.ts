import { adopt } from "./adopt.ts";
import style from "./plot.css?inline";

// More than one part has plots, so that none of them owns their style.
adopt(style);
