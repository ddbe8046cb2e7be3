import { EventDetail } from "../system/events/event-detail.tsx";

/** One event in full; loaded when one is opened. */
export const Body = EventDetail;
