import { adopt } from "./adopt.ts";
import style from "./lists.css?inline";

// More than one part has long lists: the style belongs to none of them alone.
adopt(style);
