/** Loads the update client when it is first needed, in one piece: an agent that never checks does without its memory. */
export const loadUpdateClient = () => import("./update-client.ts");
