/** The dashboard for Grafana as a table of its panels; `make dashboard` writes it as Grafana imports it. */
import { mkdirSync, writeFileSync } from "node:fs";

/** The lines of a panel by their legends, in PromQL without the selection of job and devices, which each metric gets. */
type Lines = Readonly<Record<string, string>>;

/** Rows of panels, each under its title. */
const rows: Readonly<Record<string, Readonly<Record<string, Lines>>>> = {
  Devices: {
    Devices: { answer: "sum(steward_build_info)", "do not answer": "count(up == 0)" },
    State: { "{{state}}": "sum by (state) (steward_device_state)" },
    "What they need of an administrator": { "{{code}}": "sum by (code) (steward_need) > 0" },
    "What their products report": { "{{code}}": "sum by (code) (steward_product_need) > 0" },
    "Health checks that find something wrong": {
      "{{check}}": "count by (check) (steward_health_check_ok == 0)",
    },
  },
  Clock: {
    Offset: { "{{instance}}": "steward_clock_offset_seconds" },
    Uncertainty: { "{{instance}}": "steward_clock_uncertainty_seconds" },
    "Difference to the monitoring server": {
      "{{instance}}": "steward_clock_time_seconds - timestamp(steward_clock_time_seconds)",
    },
    "Time since the last synchronisation": { "{{instance}}": "steward_clock_last_sync_age_seconds" },
    "Time sources": {
      "{{state}}": "sum by (state) (steward_clock_sources)",
      authenticated: "sum(steward_clock_authenticated_sources)",
    },
    Trust: {
      "{{trust}}": "sum by (trust) (steward_clock_trust)",
      synchronised: "sum(steward_clock_synchronised)",
      authenticated: "sum(steward_clock_authenticated)",
    },
    "State and mode": {
      "{{state}}": "sum by (state) (steward_clock_state)",
      "mode {{mode}}": "sum by (mode) (steward_clock_mode)",
    },
    "Polls, steps and conflicts": {
      "polls an hour": "sum(increase(steward_clock_polls_total[1h]))",
      "steps an hour": "sum(increase(steward_clock_steps_total[1h]))",
      "conflicts an hour": "sum(increase(steward_clock_conflicts_total[1h]))",
    },
  },
  Updates: {
    "Versions in use": {
      "{{kind}} {{version}}": "count by (kind, version) (steward_update_installed_info)",
      "agent {{version}}": "count by (version) (steward_build_info)",
    },
    "On offer, staged, on trial": {
      "{{kind}} {{version}} on offer": "count by (kind, version) (steward_update_available_info)",
      "{{kind}} staged": "sum by (kind) (steward_update_staged)",
      "{{kind}} on trial": "sum by (kind) (steward_update_trial)",
    },
    "Applied and undone": {
      "applied an hour": 'sum(increase(steward_events_total{type="update.applied"}[1h]))',
      "undone an hour": 'sum(increase(steward_events_total{type="update.undone"}[1h]))',
    },
    "Failed, held, blocked": {
      "{{kind}} failed": "sum by (kind) (steward_update_failed_releases)",
      "{{kind}} held": "sum by (kind) (steward_update_held_releases)",
      "{{kind}} blocked": "sum by (kind) (steward_update_blocked)",
    },
    State: { "{{state}}": "sum by (state) (steward_update_state) > 0" },
    Checks: {
      "last: {{outcome}}": "sum by (outcome) (steward_update_last_check_outcome)",
      failing: "sum(steward_update_check_failures > bool 0)",
      "by schedule": "sum(steward_update_automatic)",
    },
    "Time since the last check": {
      "{{instance}}": "steward_clock_time_seconds - steward_update_last_check_timestamp_seconds",
      "{{instance}} with success":
        "steward_clock_time_seconds - steward_update_last_success_timestamp_seconds",
    },
    "Root of trust, certificates, tokens": {
      installed: "sum(steward_update_trust_installed)",
      established: "sum(steward_update_trust_established)",
      "days until the first expires":
        "min((steward_update_root_expiry_timestamp_seconds - steward_clock_time_seconds) / 86400)",
      "days until the first certificate expires":
        "min((steward_https_certificate_expiry_timestamp_seconds - steward_clock_time_seconds) / 86400)",
      "days until the first API token expires":
        "min((steward_api_tokens_next_expiry_timestamp_seconds - steward_clock_time_seconds) / 86400)",
    },
  },
  "Sign-in": {
    Attempts: { "{{outcome}}": "sum by (outcome) (increase(steward_sign_ins_total[5m]))" },
    Accounts: {
      accounts: "sum(steward_accounts)",
      administrators: "sum(steward_accounts_administrators)",
      disabled: "sum(steward_accounts_disabled)",
      locked: "sum(steward_accounts_locked)",
      "second factor missing": "sum(steward_accounts_second_factor_missing)",
    },
    "Sessions and API tokens": { sessions: "sum(steward_sessions)", "API tokens": "sum(steward_api_tokens)" },
    "Messages to receivers": {
      "{{receiver}}: events that wait": "sum by (receiver) (steward_receiver_waiting_events)",
      "{{receiver}}: hours of failures": "max by (receiver) (steward_receiver_failing_seconds) / 3600",
      "{{receiver}}: events that were refused": "sum by (receiver) (steward_receiver_refused_events)",
      "{{receiver}}: last success (Unix time)":
        "max by (receiver) (steward_receiver_last_success_timestamp_seconds)",
    },
    Events: { "{{type}}": "sum by (type) (increase(steward_events_total[1h])) > 0" },
  },
  "The agent": {
    Requests: { "{{method}} {{route}}": "sum by (method, route) (rate(steward_http_requests_total[5m]))" },
    "Refusals and errors": {
      "{{status}}": 'sum by (status) (rate(steward_http_requests_total{status=~"[45].."}[5m]))',
    },
    "Duration, 99 of 100": {
      "{{group}}":
        "histogram_quantile(0.99, sum by (group, le) (rate(steward_http_request_duration_seconds_bucket[5m])))",
    },
    "Delay of the event loop, 99 of 100": {
      "{{instance}}":
        "histogram_quantile(0.99, sum by (instance, le) (rate(steward_event_loop_delay_seconds_bucket[5m])))",
      "last minute, last": "max(nodejs_eventloop_lag_seconds)",
      "last minute, min": "max(nodejs_eventloop_lag_min_seconds)",
      "last minute, mean": "max(nodejs_eventloop_lag_mean_seconds)",
      "last minute, p50": "max(nodejs_eventloop_lag_p50_seconds)",
      "last minute, p90": "max(nodejs_eventloop_lag_p90_seconds)",
      "last minute, p99": "max(nodejs_eventloop_lag_p99_seconds)",
      "last minute, max": "max(nodejs_eventloop_lag_max_seconds)",
    },
    Memory: {
      "{{instance}}": "process_resident_memory_bytes",
      "{{instance}} heap": "nodejs_heap_size_used_bytes",
      "{{instance}} heap, all": "nodejs_heap_size_total_bytes",
    },
    Processor: { "{{instance}}": "rate(process_cpu_seconds_total[5m])" },
    "Time since the start": { "{{instance}}": "time() - process_start_time_seconds" },
    "Open files": { "{{instance}}": "process_open_fds", "the most that are allowed": "min(process_max_fds)" },
    "Memory of the host, available": {
      "{{instance}}": "steward_host_memory_available_bytes / steward_host_memory_bytes",
    },
    "Disk of the state, free": {
      "{{instance}}": "steward_host_disk_available_bytes / steward_host_disk_bytes",
    },
  },
};

/** Units of what is no count. */
const units: Readonly<Record<string, RegExp>> = {
  s: /^(Offset|Uncertainty|Difference to|Time since|Duration|Delay)/,
  reqps: /^(Requests|Refusals)/,
  bytes: /^Memory$/,
  percentunit: /^(Processor|.*, (available|free)$)/,
};
/** Figures of the moment instead of curves. */
const types: Readonly<Record<string, string>> = {
  Devices: "stat",
  "What they need of an administrator": "bargauge",
  "What their products report": "bargauge",
};
/** Three in a row instead of four. */
const wide = /^(Memory|Processor|Time since the start|Open files|Disk)/;

const height = 8;
const devices = 'job="$job",instance=~"$instance"';
// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana's
const datasource = { type: "prometheus", uid: "${source}" };

const variables = [
  { name: "source", label: "Source", type: "datasource", query: "prometheus" },
  queried({ name: "job", label: "Job" }, "label_values(steward_build_info, job)"),
  {
    ...queried(
      { name: "instance", label: "Device" },
      'label_values(steward_build_info{job="$job"}, instance)',
    ),
    ...{ multi: true, includeAll: true, allValue: ".*" },
  },
];

/** A variable that Grafana fills with what a query finds, again each time that the period shown changes. */
function queried(named: { name: string; label: string }, query: string): object {
  return { ...named, type: "query", datasource, query: { query, refId: named.name }, refresh: 2 };
}

/** The whole dashboard, as Grafana imports it. */
export function dashboard() {
  return {
    ...{ title: "Steward", uid: "steward-devices", tags: ["steward"], schemaVersion: 38, editable: true },
    ...{ graphTooltip: 1, refresh: "1m", time: { from: "now-6h", to: "now" } },
    templating: { list: variables },
    panels: laidOut(),
  };
}

/** A panel as Grafana has it; the title of a row is one without targets. */
interface Laid {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

/** The panels from left to right, below the title of their row. */
function laidOut(): Laid[] {
  let [id, y] = [0, 0];
  const next = () => {
    id += 1;
    return id;
  };
  return Object.entries(rows).flatMap(([title, panels]) => {
    const gridPos = { h: 1, w: 24, x: 0, y };
    const heading = { id: next(), type: "row", title, collapsed: false, gridPos, panels: [] };
    let x = 0;
    y += 1;
    const own = Object.entries(panels).map(([title, lines]) => {
      const w = wide.test(title) ? 8 : 6;
      if (x + w > 24) [x, y] = [0, y + height];
      const gridPos = { h: height, w, x, y };
      x += w;
      return { id: next(), ...panelOf(title, lines), gridPos };
    });
    y += height;
    return [heading, ...own];
  });
}

function panelOf(title: string, lines: Lines) {
  const type = types[title];
  const [unit = "short"] = Object.entries(units).find(([, titles]) => titles.test(title)) ?? [];
  const targets = Object.entries(lines).map(([legendFormat, query], index) => ({
    refId: "ABCDEFGH"[index],
    datasource,
    expr: selecting(query),
    legendFormat,
    ...(type && { instant: true }),
  }));
  const fieldConfig = { defaults: { unit }, overrides: [] };
  return { type: type ?? "timeseries", title, datasource, fieldConfig, targets };
}

/** The query, of the devices that are chosen only. */
function selecting(query: string): string {
  return query.replace(/\b(up|(?:steward|process|nodejs)_\w+)\b(\{?)/g, (_, metric, brace) =>
    brace === "" ? `${metric}{${devices}}` : `${metric}{${devices},`,
  );
}

if (process.argv[1] === import.meta.filename) {
  mkdirSync("var", { recursive: true });
  writeFileSync("var/dashboard.json", `${JSON.stringify(dashboard(), null, 2)}\n`);
}
