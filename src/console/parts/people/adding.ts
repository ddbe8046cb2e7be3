import "../../styles/parts/people/adding.css";
import { AddPeople } from "../../users/adding/add-people.tsx";
import { ResetPassword } from "../../users/adding/reset-password.tsx";

/** The sheet that people are added with. */
export const Body = AddPeople;

/** The other way to a one-use password, which is handed over by the same card. */
export const Reset = ResetPassword;
