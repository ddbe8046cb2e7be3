import "../styles/parts/lists.ts";
import { adopt } from "../styles/parts/adopt.ts";
import style from "../styles/parts/people/users.css?inline";
import { PersonPage } from "../users/person-page.tsx";
import { UsersPage } from "../users/users-page.tsx";

adopt(style);

/** Pages about people, by path. */
export const pages = { "/users": UsersPage, "/users/*": PersonPage };
