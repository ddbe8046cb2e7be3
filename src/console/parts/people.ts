import "../styles/lists.ts";
import { adopt } from "../styles/adopt.ts";
import style from "../styles/users.css?inline";
import { UsersPage } from "../users/users-page.tsx";

adopt(style);

/** Pages about people, by path. */
export const pages = { "/users": UsersPage };
