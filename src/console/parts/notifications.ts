import "../styles/parts/notifications.css";
import { Notifications } from "../system/notifications/notifications.tsx";

/** The receivers of messages. */
export const Body = Notifications;
