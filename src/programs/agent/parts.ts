import { startAgent } from "./agent.ts";
import { openOfflineClient, openStateTools } from "./offline.ts";

/**
 * The rooms, for whoever needs them: the agent, or the command line when it is down. In one part of the program, since
 * every part that shares code with others is read, and resolved by each of the others, at every start.
 */
export const parts = { startAgent, openOfflineClient, openStateTools };
