import { AccountPage } from "../account/account-page.tsx";
import style from "../styles/account.css?inline";
import { adopt } from "../styles/adopt.ts";

adopt(style);

/** The page about oneself, by path. */
export const pages = { "/account": AccountPage };
