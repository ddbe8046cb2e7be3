import { adopt } from "./adopt.ts";
import style from "./settings.css?inline";

// More than one part has settings: it belongs to none of them alone.
adopt(style);
