import { adopt } from "../styles/adopt.ts";
import style from "../styles/notifications.css?inline";
import { Notifications } from "../system/notifications/notifications.tsx";

adopt(style);

/** The receivers of messages. */
export const Body = Notifications;
