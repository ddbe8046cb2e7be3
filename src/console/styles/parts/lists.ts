import { adopt } from "./adopt.ts";
import style from "./lists.css?inline";

// More than one part has long lists, so that none of them owns their style.
adopt(style);
