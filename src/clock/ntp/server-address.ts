/** One time server as the settings name it: `host`, `host:port` or `[v6]:port`. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** RFC 5905 §7.2: PORT. */
const ntpPort = 123;

/** The parts of a server's text, which the settings' schema has checked. */
export function serverAddress(text: string): ServerAddress {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  return { host: bracketed ?? plain ?? text, port: port === undefined ? ntpPort : Number(port) };
}
