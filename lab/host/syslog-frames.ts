/** A message of RFC 5424. */
export interface SyslogMessage {
  readonly priority: number;
  readonly timestamp: string;
  readonly hostName: string;
  readonly appName: string;
  readonly procId: string;
  readonly msgId: string;
  readonly element: string;
  /** In order; a name can come several times. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  readonly text: string;
}

/** The messages in bytes of octet counting (RFC 5425 §4.3). Throws where they have another form. */
export function readSyslog(bytes: Uint8Array): SyslogMessage[] {
  const found: SyslogMessage[] = [];
  let rest = Buffer.from(bytes);
  while (rest.length > 0) {
    const [counted = "", length] = /^([1-9][0-9]*) /.exec(rest.toString("latin1", 0, 12)) ?? [];
    const end = counted.length + Number(length);
    if (length === undefined || end > rest.length)
      throw new Error(`no frame: ${rest.toString("utf8", 0, 40)}`);
    found.push(readMessage(rest.subarray(counted.length, end)));
    rest = rest.subarray(end);
  }
  return found;
}

/** RFC 5424 §6, its ABNF for a message with one element. */
const form =
  /^<([0-9]{1,3})>1 (\S+) ([\x21-\x7e]{1,255}) ([\x21-\x7e]{1,48}) ([\x21-\x7e]{1,128}) ([\x21-\x7e]{1,32}) \[([^=\s\]"]{1,32})((?: [^=\s\]"]{1,32}="(?:[^"\\\]]|\\["\\\]])*")*)\] (.*)$/su;

function readMessage(bytes: Uint8Array): SyslogMessage {
  const whole = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  const [, priority, timestamp, hostName, appName, procId, msgId, element, data, text] =
    form.exec(whole) ?? [];
  if (priority === undefined || data === undefined || text === undefined)
    throw new Error(`no message of RFC 5424: ${whole}`);
  if (!/^[\x20-\x7e]*$/.test(text) && !text.startsWith("\ufeff"))
    throw new Error(`no byte order mark: ${text}`);
  const parameters = [...data.matchAll(/ ([^=]+)="((?:[^"\\\]]|\\["\\\]])*)"/gsu)].map(
    ([, name = "", value = ""]) => [name, value.replace(/\\(["\\\]])/g, "$1")] as const,
  );
  return {
    ...{ priority: Number(priority), timestamp, hostName, appName, procId, msgId, element, parameters },
    text: text.replace(/^\ufeff/, ""),
  } as SyslogMessage;
}
