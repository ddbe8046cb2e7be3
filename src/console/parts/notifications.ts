import { adopt } from "../styles/parts/adopt.ts";
import style from "../styles/parts/notifications.css?inline";
import { Notifications } from "../system/notifications/notifications.tsx";

adopt(style);

/** The receivers of messages. */
export const Body = Notifications;
