import { adopt } from "./adopt.ts";
import style from "./settings.css?inline";

// More than one part has settings, so that none of them owns their style.
adopt(style);
