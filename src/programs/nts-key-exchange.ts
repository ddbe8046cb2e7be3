import { exchangeKeys } from "../clock/nts/key-exchange.ts";
import type { TimeAuthorities } from "../host/host.ts";
import { createRunCommand } from "../host/linux/commands.ts";
import { createKeyExchange } from "../host/linux/nts/key-exchange.ts";
import {
  type NumberedRequest,
  onEachLine,
  outcomeLine,
  readsLine,
} from "../host/linux/nts/key-exchange-lines.ts";
import { end, fail } from "../terminal/ending.ts";

/**
 * Exchanges keys with time servers (RFC 8915): a line of JSON for each request on standard input, and one for its outcome
 * on standard output, in any order, after an empty one that says that it reads. It ends with its input, which is the agent's to close. Its argument says which
 * authorities are trusted.
 */
async function main(): Promise<number> {
  const authorities = JSON.parse(process.argv[2] ?? "") as TimeAuthorities;
  const ending = new AbortController();
  const ask = createKeyExchange({ ...authorities, run: createRunCommand(), signal: ending.signal });
  const underWay = new Set<Promise<void>>();
  const answer = async ({ id, request }: NumberedRequest): Promise<void> => {
    const outcome = await exchangeKeys(ask, request);
    if (!ending.signal.aborted) process.stdout.write(outcomeLine({ id, outcome }));
  };
  await new Promise((resolve, reject) => {
    const onLine = (line: string): void => {
      // The agent has checked what it sends.
      const work = answer(JSON.parse(line) as NumberedRequest).finally(() => underWay.delete(work));
      underWay.add(work);
    };
    onEachLine(process.stdin, onLine, () => reject(new Error("a request is too long")));
    process.stdin.once("end", resolve);
    process.stdout.write(`${readsLine}\n`);
  });
  // openssl ends at once, and the certificates that it was reading are removed.
  ending.abort();
  await Promise.all(underWay);
  return 0;
}

main().then(end, fail);
