import style from "./account.css?inline";
import { adopt } from "./adopt.ts";

// The first run sets up a second factor as well, so that neither part owns its style.
adopt(style);
