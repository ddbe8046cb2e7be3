/**
 * The console without a browser: its own script, as it was built, in a document without layout, over HTTP against a real
 * agent. For tests of words, states, forms and requests, at a third of the processor time that Chromium takes. Whatever
 * depends on layout, style, policy or the browser's own keyboard is for Chromium.
 */

import { startAgentInProcess } from "../../agents/agent-in-process.ts";
import type { RunningAgent } from "../../agents/running-agent.ts";
import type { Ending } from "../../basics/ending.ts";
import {
  addUsers,
  agentWithUsers,
  browserOf,
  type ConsoleEnding,
  type ConsoleSuite,
  type ConsoleWindow,
  endOfConsole,
  type TestBrowser,
} from "../browser.ts";
import { LightContext } from "./context.ts";
import { LightPage } from "./page.ts";

export function lightBrowser(ending: Ending | ConsoleEnding): TestBrowser {
  return browserOf(ending, async (url, options) => {
    const { language = "en", scheme = "light", width = 1280, height = 800, now, isKept, ...others } = options;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw new Error(`a page without a browser has no ${unknown}`);
    const complaints: string[] = [];
    const context = new LightContext(
      url,
      { language, scheme, width, height, now },
      complaints,
      (context) => new LightPage(context),
    );
    // They have those members of playwright's that the tests of the console use.
    const opened = { context, page: await context.newPage(), complaints } as unknown as ConsoleWindow;
    return { opened, giveBack: () => context.close() };
  });
}

/** An agent with a user of each role, and no browser; it ends with the suite. */
export async function startLightConsole(
  ending: Ending | ConsoleEnding,
  start: () => Promise<RunningAgent> = startAgentInProcess,
): Promise<{ agent: RunningAgent; browser: TestBrowser }> {
  const agent = await start();
  ending.after(() => agent.dispose());
  await addUsers(agent);
  return { agent, browser: lightBrowser(ending) };
}

/** The same for all tests of a suite, in whose body it is called. */
export function lightConsoleOf(start: () => Promise<RunningAgent> = startAgentInProcess): ConsoleSuite {
  const ending = endOfConsole();
  return { ending, looks: ending.looks, agent: agentWithUsers(start), browser: lightBrowser(ending) };
}
