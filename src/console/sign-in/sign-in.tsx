import { useEffect, useState } from "preact/hooks";
import type { ConsoleGreeting, Session } from "../../contract/types.ts";
import { absoluteTime } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { greet, useGreeting } from "../client/connection.ts";
import { deviceAheadSeconds, deviceNow, isBefore } from "../client/device-time.ts";
import { usePart } from "../client/parts.ts";
import { codeOf } from "../client/problem.ts";
import { navigate } from "../navigation/navigation.ts";
import { inTurn } from "../session/early-refresh.ts";
import { phase, signedIn } from "../session/session.ts";
import { Banner } from "../ui/page.tsx";
import { type CredentialInput, Credentials } from "./credentials.tsx";
import { Greeting, Outside } from "./outside.tsx";
import { ProviderButton, signInBy } from "./provider.tsx";

/** The page for signing in: name and password, then the code. */
export function SignIn() {
  const said = useGreeting();
  return (
    <Outside title={t.signIn.title}>
      {said?.rescue && <Banner state="wrong">{t.signIn.rescue}</Banner>}
      <Greeting />
      {said && <ClockDifference {...said} />}
      <Credentials verb={t.signIn.title} isPage onGiven={signInFromPage} />
      {said?.provider && <ProviderButton isBesidePassword onReturned={signInBy} />}
      <Help />
    </Outside>
  );
}

/** Help for a person who cannot sign in, shown before anything has failed, and loaded when it is opened. */
function Help() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="help" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{t.signIn.keptOut}</summary>
      {isOpen && <Ways />}
    </details>
  );
}

function Ways() {
  const part = usePart("problems");
  return part && <part.Help />;
}

/** Throws what the agent refuses, `totp_required` among it. */
export async function signInWith(given: CredentialInput): Promise<void> {
  await enter(() => sessionOf(given));
}

async function signInFromPage(given: CredentialInput): Promise<void> {
  try {
    await enter(async () => {
      const session = await sessionOf(given);
      // The code's own step in the browser's history goes, so that back leads to where one was before.
      if (given.factor !== null) await stepBack();
      // The removed factor has to be replaced, which is done on that page.
      if (given.isLost) await navigate("/account", { lost: "1" }, { replace: true });
      return session;
    });
  } catch (error) {
    if (codeOf(error) !== "setup_required") throw error;
    await greet();
    phase.set("setup");
  }
}

/** Waits while another tab renews a session: the cookie of the later answer would win. */
async function enter(begin: () => Promise<Session>): Promise<void> {
  await inTurn(async () => signedIn(await begin()));
}

async function sessionOf(given: CredentialInput): Promise<Session> {
  const { username, password, factor, challengeToken, isLost } = given;
  const login = () => call("login", { body: { username, password, refresh: "cookie" } });
  if (isLost && factor !== null && "recovery_code" in factor) {
    // The factor goes, which ends all sessions.
    const opened = await call("recoverTwoFactor", {
      params: { id: username },
      body: { password, ...factor },
    });
    // Its session would live only in this page; the one that lasts is in a cookie.
    if ("refresh_token" in opened && opened.refresh_token !== undefined)
      await call("logout", { body: { refresh_token: opened.refresh_token } });
    return login();
  }
  if (factor === null || challengeToken === null) return login();
  return call("answerChallenge", { body: { challenge_token: challengeToken, ...factor, refresh: "cookie" } });
}

function stepBack(): Promise<void> {
  return new Promise((resolve) => {
    addEventListener("popstate", () => resolve(), { once: true });
    history.back();
  });
}

/** Seconds by which the two clocks may differ before it is worth saying. */
const tolerableSeconds = 30;

/** Milliseconds between two looks at the device's clock: either may be put right while the page is open. */
const lookMilliseconds = 60_000;

/** Says that the device's clock and the browser's differ, which explains why codes are refused, and which one is wrong if it is known. */
function ClockDifference({ synchronised, floor_at }: ConsoleGreeting) {
  const [, draw] = useState({});
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible") void greet();
    };
    const ticking = setInterval(() => draw({}), 1_000);
    const looking = setInterval(look, lookMilliseconds);
    addEventListener("focus", look);
    return () => {
      clearInterval(ticking);
      clearInterval(looking);
      removeEventListener("focus", look);
    };
  }, []);
  if (Math.abs(deviceAheadSeconds()) <= tolerableSeconds) return null;
  const isBrowsers = synchronised || isBefore(floor_at);
  return (
    <Banner state="attention">
      {/* It ticks, and a screen reader must not read it each second. */}
      <p aria-live="off">
        {t.signIn.clockDiffers(absoluteTime(new Date(deviceNow())), absoluteTime(new Date()))}
      </p>
      <p>{isBrowsers ? t.signIn.clockOfBrowser : t.signIn.clockDiffersMeaning}</p>
    </Banner>
  );
}
