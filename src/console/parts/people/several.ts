import { AddSeveral } from "../../users/adding/add-several.tsx";

/** The form that people are added with by a list. */
export const Body = AddSeveral;
