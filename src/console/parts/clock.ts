import { ClockInside } from "../system/clock/clock-inside.tsx";

/** The clock's details; loaded when they are opened. */
export const Body = ClockInside;
