/** /etc/chrony/chrony.conf of the machine for chrony.service: the host's servers on these ports. */
export function chronyConfiguration(...ports: readonly number[]): Readonly<Record<string, string>> {
  const servers = ports.map((port) => `server 10.0.2.2 port ${port} iburst`);
  const rest = ["driftfile /var/lib/chrony/chrony.drift", "makestep 1 3", "rtcsync"];
  return { "/etc/chrony/chrony.conf": `${[...servers, ...rest].join("\n")}\n` };
}

/** systemd-timesyncd.service of the machine: it knows no ports, so that the scenario's server has to be at 123. */
export const timesyncdConfiguration: Readonly<Record<string, string>> = {
  "/etc/systemd/timesyncd.conf": "[Time]\nNTP=10.0.2.2\nFallbackNTP=\n",
};
