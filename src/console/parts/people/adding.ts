import { adopt } from "../../styles/parts/adopt.ts";
import style from "../../styles/parts/people/adding.css?inline";
import { AddPeople } from "../../users/adding/add-people.tsx";
import { ResetPassword } from "../../users/adding/reset-password.tsx";

adopt(style);

/** The sheet that people are added with. */
export const Body = AddPeople;

/** The other way to a one-use password, which is handed over by the same card. */
export const Reset = ResetPassword;
