import { AccountPage } from "../account/account-page.tsx";
import "../styles/parts/account.css";

/** The page about oneself, by path. */
export const pages = { "/account": AccountPage };
