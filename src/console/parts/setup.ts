import { FirstRun } from "../setup/first-run.tsx";
import { SetupPage } from "../setup/setup-page.tsx";
import "../styles/parts/account.css";
import "../styles/parts/setup.css";

/** Makes the first administrator, and one in a rescue. */
export const Body = FirstRun;

/** The steps of the first run behind the sign-in. */
export const Page = SetupPage;
