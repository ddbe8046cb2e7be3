/** A host file that decides nothing, as an absent one counts; the schema has its defaults from here. */
export const plainHostFile = {
  names: [],
  trusted_proxies: [],
  https: { enabled: false, port: 8443, hsts: false },
  log_units: [],
  product: "steward",
  kernel_rescue: true,
  network: {},
  notify: { allow_local_servers: false, allow_http: false },
  telemetry: {},
  time: {},
  update: { allow_local_servers: false, redirect_origins: [] },
};
