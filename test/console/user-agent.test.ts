import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import * as people from "../../src/console/catalogue/languages/en/people.ts";
import { putTexts } from "../../src/console/catalogue/words.ts";
import { agentInWords } from "../../src/console/users/access.ts";

/** As browsers send them. */
const cases = [
  ["Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox, Linux"],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0",
    "Edge, Windows",
  ],
  [
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36",
    "Chrome, Android",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
    "Safari, iOS",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15",
    "Safari, macOS",
  ],
  ["curl/8.5.0", "curl/8.5.0"],
  ["", "a program without a name"],
] as const;

describe("a browser in words", () => {
  before(() => putTexts("en", people));
  for (const [userAgent, words] of cases)
    it(`is "${words}" for ${userAgent.slice(0, 40)}`, () => assert.equal(agentInWords(userAgent), words));
});
