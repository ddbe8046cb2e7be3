import { FirstRun } from "../setup/first-run.tsx";
import { SetupPage } from "../setup/setup-page.tsx";
import "../styles/parts/account.ts";
import { adopt } from "../styles/parts/adopt.ts";
import style from "../styles/parts/setup.css?inline";

adopt(style);

/** Makes the first administrator, and one in a rescue. */
export const Body = FirstRun;

/** The steps of the first run behind the sign-in. */
export const Page = SetupPage;
