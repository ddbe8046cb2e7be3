import { absoluteTime } from "../catalogue/formats.ts";
import type { Sentence } from "./by-code.ts";
import { visible } from "./visible.ts";

/** A time as the agent writes it. */
const isoTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

export function Said({ sentence: { text, isAgents, quote } }: { readonly sentence: Sentence }) {
  if (isAgents) return <Spoken text={text} />;
  if (quote === undefined) return <>{withCommands(text)}</>;
  return (
    <>
      {withCommands(text)} <q lang="en">{visible(quote)}</q>
    </>
  );
}

/** A sentence of the agent's, which is English: its times as people write them, its commands as such. */
export function Spoken({ text }: { readonly text: string }) {
  const sentence = withTimes(visible(text.charAt(0).toUpperCase() + text.slice(1)));
  return (
    <span lang="en">
      {withCommands(sentence)}
      {/[.!?…:]$/.test(sentence) ? "" : "."}
    </span>
  );
}

/** Text between backticks is a command. */
function withCommands(sentence: string) {
  return sentence.split("`").map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part));
}

/** Times of the agent's as people write them. */
export function withTimes(text: string): string {
  return text.replace(isoTime, (at) => absoluteTime(new Date(at)));
}
