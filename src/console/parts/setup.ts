import { FirstRun } from "../setup/first-run.tsx";
import { SetupPage } from "../setup/setup-page.tsx";
import "../styles/account.ts";
import { adopt } from "../styles/adopt.ts";
import style from "../styles/setup.css?inline";

adopt(style);

/** Makes the first administrator, and one in a rescue. */
export const Body = FirstRun;

/** The steps of the first run behind the sign-in. */
export const Page = SetupPage;
