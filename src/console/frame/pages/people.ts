import { AccountPage } from "../../account/account-page.tsx";
import { UsersPage } from "../../users/users-page.tsx";

/** Pages about people, by path. */
export const pages = { "/users": UsersPage, "/account": AccountPage };
