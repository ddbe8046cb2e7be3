/** The part of ntp-client 0.5.3 that the agent uses; the package brings no types. `import()` gives it as the default export. */
declare module "node-ntp-client" {
  interface NtpClient {
    /** Milliseconds; one for all calls. */
    ntpReplyTimeout: number;
    /** The error may be a string; the date may be invalid. Throws on a bad port. */
    getNetworkTime(
      server: string,
      port: number,
      callback: (error: Error | string | null, date: Date | null) => void,
    ): void;
  }
  const client: NtpClient;
  export = client;
}
