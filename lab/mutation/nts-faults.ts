import type { NamedFault } from "./named.ts";

const attacks = (title: string) => ({ file: "test/clock/nts/attacker.test.ts", title });

const boots = (title: string) => ({ file: "test/scenarios/authenticated.test.ts", title });

/** The properties of docs/design/trusted-time.md under an attacker who holds the network, each with its check taken out. */
export const ntsFaults: readonly NamedFault[] = [
  {
    name: "replay",
    file: "src/clock/nts/protected-packets.ts",
    check: "!fields || !identifier || !isSame(identifier.content, uniqueIdentifier)",
    instead: "!fields || !identifier",
    test: attacks("cannot replay a reply"),
  },
  {
    name: "bit flips",
    file: "src/clock/nts/siv.ts",
    check: "timingSafeEqual(s2v(forTag, [...associated, plaintext]), tag) ? plaintext : null",
    instead: "plaintext",
    test: attacks("cannot change a single byte of a reply"),
  },
  {
    name: "stripped extension fields",
    file: "src/clock/nts/protected-packets.ts",
    check: "const encrypted = plaintext && readFields(plaintext, 0);",
    instead: "const encrypted = authenticator ? plaintext && readFields(plaintext, 0) : [];",
    test: attacks("cannot strip extension fields, down to plain NTP"),
  },
  {
    name: "forged kiss-o'-death",
    file: "src/clock/ntp/exchange.ts",
    check: "request.open(packet)",
    instead: "packet[1] === 0 ? packet : request.open(packet)",
    test: attacks("cannot silence a server with a kiss-o'-death of their own"),
  },
  {
    name: "wrong AEAD",
    file: "src/clock/nts/key-exchange-messages.ts",
    check: "!isOnly(recordTypes.algorithm, sivCmac256)",
    instead: "false",
    test: attacks("that answers with another algorithm than was offered is refused"),
  },
  {
    name: "cookie that was not encrypted",
    file: "src/clock/nts/protected-packets.ts",
    check: "const cookies = encrypted\n",
    instead: "const cookies = [...fields, ...encrypted]\n",
    test: {
      file: "test/clock/nts/protected-packets.test.ts",
      title: "gives no cookie that was not encrypted, before the authenticator or behind it",
    },
  },
  {
    name: "cookie of another server",
    file: "src/clock/nts/protected-packets.ts",
    check: 'if (isNak(reply, request)) return "nts_nak";',
    instead: "",
    test: attacks("cannot have the cookies of one server taken by another, which brings new keys"),
  },
  {
    name: "cookie of former keys",
    file: "src/clock/nts/association.ts",
    check: 'typeof opened !== "string" && this.#keys === keys',
    instead: 'typeof opened !== "string"',
    test: attacks("cannot have cookies of former keys used by holding a reply back"),
  },
  {
    name: "stolen expired key: dates are not judged",
    file: "src/host/linux/certificates/verify-chain.ts",
    check: 'atSeconds === null ? ["-no_check_time"] : ["-attime", String(Math.floor(atSeconds))]',
    instead: '["-no_check_time"]',
    test: attacks("with a stolen key whose certificate has ended counts for no present time"),
  },
  {
    name: "stolen expired key: nothing is confirmed",
    file: "src/clock/nts/association.ts",
    check: "return this.#exchange(atSeconds);",
    instead: "return this.#exchange(null);",
    test: attacks("with a stolen key whose certificate has ended counts for no present time"),
  },
  {
    name: "stolen expired key: provisional time counts",
    file: "src/clock/ntp/source-pool.ts",
    check: "rated.filter(({ source }) => !source.isProvisional())",
    instead: "rated",
    test: attacks("does not count until they are"),
  },
  {
    name: "stolen expired key: what it said is kept",
    file: "src/clock/ntp/source.ts",
    check: "const failed = await this.#association?.confirm(atSeconds);\n    this.forget();",
    instead: "const failed = await this.#association?.confirm(atSeconds);",
    test: attacks("is forgotten where they turn out to be over"),
  },
  {
    name: "any authority",
    file: "src/host/linux/nts/key-exchange.ts",
    check: 'if (reason !== null) return { kind: "failed", reason };',
    instead: "",
    test: attacks("of an unknown authority is refused for that, also with dates that are wrong besides"),
  },
  {
    name: "unknown authority with a wrong date, by the one error that Node reports",
    file: "src/host/linux/nts/key-exchange.ts",
    check: "if (reason !== null)",
    instead: 'if (reason !== null && String(socket.authorizationError) !== "CERT_HAS_EXPIRED")',
    test: attacks("of an unknown authority is refused for that, also with dates that are wrong besides"),
  },
  {
    name: "certificate of another name",
    file: "src/host/linux/certificates/verify-chain.ts",
    check: '["-verify_hostname", host]',
    instead: "[]",
    test: attacks("for another name is refused"),
  },
  {
    name: "key exchange that sends elsewhere",
    file: "src/clock/nts/siv.ts",
    check: "timingSafeEqual(s2v(forTag, [...associated, plaintext]), tag) ? plaintext : null",
    instead: "plaintext",
    test: attacks("that sends elsewhere brings no time from a server without the keys"),
  },
  {
    name: "two key exchanges that send to one server, which votes twice",
    file: "src/clock/ntp/source-pool.ts",
    check: "source.id !== by && isSame(source.address(), address)",
    instead: "false",
    test: attacks("that sends to the server of another one gives it no second vote"),
  },
  {
    name: "plain NTP after a key exchange that failed",
    file: "src/clock/ntp/source.ts",
    check: "return this.#association.target({ isAsked });",
    instead: `const target = await this.#association.target({ isAsked });
    if (!("failure" in target)) return target;
    this.#association = null;
    return this.#server;`,
    test: attacks("cannot have the device ask in plain where the key exchange is closed"),
  },
  {
    name: "plain NTP after a key exchange",
    file: "src/clock/ntp/source.ts",
    check: "this.#options.exchange(address, this.#association?.seal)",
    instead: "this.#options.exchange(address)",
    test: attacks("that sends to a server without NTS has no plain reply taken"),
  },
  {
    name: "plain servers where only authenticated ones count",
    file: "src/clock/ntp/source-pool.ts",
    check: "return nts || !this.#isAuthenticatedOnly;",
    instead: "return true;",
    test: boots("lets plain servers neither move the clock nor count, however many agree"),
  },
  {
    name: "a minority where only authenticated ones count",
    file: "src/clock/ntp/source-pool.ts",
    check: "this.#isAuthenticatedOnly ? Math.max(usual, majorityOf(configured)) : usual",
    instead: "usual",
    test: boots("in 1970: two honest servers of five give no time where only authenticated ones count"),
  },
  {
    name: "stolen expired keys of a majority: nothing is confirmed, and provisional time counts",
    file: "src/clock/ntp/source.ts",
    check: "return this.#association?.isProvisional() === true;",
    instead: "return false;",
    test: boots("of a majority say no present time: their certificates are not valid then"),
  },
  {
    name: "a time daemon whose sources are not authenticated",
    file: "src/clock/daemons/external-daemon.ts",
    check: 'isAuthenticatedOnly && report.trust !== "none" && !report.authenticated',
    instead: "false",
    test: boots("trusts no time daemon whose sources are not authenticated"),
  },
  {
    name: "an authenticated minority called authenticated",
    file: "src/clock/ntp/source-pool.ts",
    check: "configured === 1 ? authentic === 1 : isMajority({ agreeing: authentic, configured })",
    instead: "authentic > 0",
    test: boots(
      "left off, authenticated and plain servers vote alike, and the majority is not authenticated",
    ),
  },
];
