import style from "./account.css?inline";
import { adopt } from "./adopt.ts";

// The first run sets up a second factor as well: it belongs to neither part alone.
adopt(style);
