import { AccountPage } from "../account/account-page.tsx";
import "../styles/account.ts";

/** The page about oneself, by path. */
export const pages = { "/account": AccountPage };
