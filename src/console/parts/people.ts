import "../styles/parts/lists.css";
import "../styles/parts/people/users.css";
import { PersonPage } from "../users/person-page.tsx";
import { UsersPage } from "../users/users-page.tsx";

/** Pages about people, by path. */
export const pages = { "/users": UsersPage, "/users/*": PersonPage };
