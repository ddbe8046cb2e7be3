/** The dashboard for Grafana as a table of its panels; `make dashboard` writes it as Grafana imports it. */
import { mkdirSync, writeFileSync } from "node:fs";

/** A panel; the lines by their legends, in PromQL without the selection of job and devices, which each metric gets. */
interface Panel {
  readonly title: string;
  /** A curve unless said otherwise. */
  readonly type?: "stat" | "bargauge";
  readonly unit?: string;
  /** It takes so many of the 24 columns; default 6. */
  readonly width?: number;
  readonly lines: Readonly<Record<string, string>>;
}

const rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[] = [
  {
    title: "Devices",
    panels: [
      {
        title: "Devices",
        type: "stat",
        lines: { answer: "sum(steward_build_info)", "do not answer": "count(up == 0)" },
      },
      { title: "State", lines: { "{{state}}": "sum by (state) (steward_device_state)" } },
      {
        title: "What they need of an administrator",
        type: "bargauge",
        lines: { "{{code}}": "sum by (code) (steward_need) > 0" },
      },
      {
        title: "Health checks that find something wrong",
        lines: { "{{check}}": "count by (check) (steward_health_check_ok == 0)" },
      },
    ],
  },
  {
    title: "Clock",
    panels: [
      { title: "Offset", unit: "s", lines: { "{{instance}}": "steward_clock_offset_seconds" } },
      { title: "Uncertainty", unit: "s", lines: { "{{instance}}": "steward_clock_uncertainty_seconds" } },
      {
        title: "Difference to the monitoring server",
        unit: "s",
        lines: { "{{instance}}": "steward_clock_time_seconds - timestamp(steward_clock_time_seconds)" },
      },
      {
        title: "Time since the last synchronisation",
        unit: "s",
        lines: { "{{instance}}": "steward_clock_last_sync_age_seconds" },
      },
      {
        title: "Time sources",
        lines: {
          "{{state}}": "sum by (state) (steward_clock_sources)",
          authenticated: "sum(steward_clock_authenticated_sources)",
        },
      },
      {
        title: "Trust",
        lines: {
          "{{trust}}": "sum by (trust) (steward_clock_trust)",
          synchronised: "sum(steward_clock_synchronised)",
          authenticated: "sum(steward_clock_authenticated)",
        },
      },
      {
        title: "State and mode",
        lines: {
          "{{state}}": "sum by (state) (steward_clock_state)",
          "mode {{mode}}": "sum by (mode) (steward_clock_mode)",
        },
      },
      {
        title: "Polls, steps and conflicts",
        lines: {
          "polls an hour": "sum(increase(steward_clock_polls_total[1h]))",
          "steps an hour": "sum(increase(steward_clock_steps_total[1h]))",
          "conflicts an hour": "sum(increase(steward_clock_conflicts_total[1h]))",
        },
      },
    ],
  },
  {
    title: "Updates",
    panels: [
      {
        title: "Versions in use",
        lines: {
          "{{kind}} {{version}}": "count by (kind, version) (steward_update_installed_info)",
          "agent {{version}}": "count by (version) (steward_build_info)",
        },
      },
      {
        title: "On offer, staged, on trial",
        lines: {
          "{{kind}} {{version}} on offer": "count by (kind, version) (steward_update_available_info)",
          "{{kind}} staged": "sum by (kind) (steward_update_staged)",
          "{{kind}} on trial": "sum by (kind) (steward_update_trial)",
        },
      },
      {
        title: "Applied and undone",
        lines: {
          "applied an hour": 'sum(increase(steward_events_total{type="update.applied"}[1h]))',
          "undone an hour": 'sum(increase(steward_events_total{type="update.undone"}[1h]))',
        },
      },
      {
        title: "Failed, held, blocked",
        lines: {
          "{{kind}} failed": "sum by (kind) (steward_update_failed_releases)",
          "{{kind}} held": "sum by (kind) (steward_update_held_releases)",
          "{{kind}} blocked": "sum by (kind) (steward_update_blocked)",
        },
      },
      { title: "State", lines: { "{{state}}": "sum by (state) (steward_update_state) > 0" } },
      {
        title: "Checks",
        lines: {
          "last: {{outcome}}": "sum by (outcome) (steward_update_last_check_outcome)",
          failing: "sum(steward_update_check_failures > bool 0)",
          "by schedule": "sum(steward_update_automatic)",
        },
      },
      {
        title: "Time since the last check",
        unit: "s",
        lines: {
          "{{instance}}": "steward_clock_time_seconds - steward_update_last_check_timestamp_seconds",
          "{{instance}} with success":
            "steward_clock_time_seconds - steward_update_last_success_timestamp_seconds",
        },
      },
      {
        title: "Root of trust, certificates, tokens",
        lines: {
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
    ],
  },
  {
    title: "Sign-in",
    panels: [
      {
        title: "Attempts",
        lines: { "{{outcome}}": "sum by (outcome) (increase(steward_sign_ins_total[5m]))" },
      },
      {
        title: "Accounts",
        lines: {
          accounts: "sum(steward_accounts)",
          administrators: "sum(steward_accounts_administrators)",
          disabled: "sum(steward_accounts_disabled)",
          locked: "sum(steward_accounts_locked)",
          "second factor missing": "sum(steward_accounts_second_factor_missing)",
        },
      },
      {
        title: "Sessions and API tokens",
        lines: { sessions: "sum(steward_sessions)", "API tokens": "sum(steward_api_tokens)" },
      },
      {
        title: "Messages to receivers",
        lines: {
          "{{receiver}}: events that wait": "sum by (receiver) (steward_receiver_waiting_events)",
          "{{receiver}}: hours of failures": "max by (receiver) (steward_receiver_failing_seconds) / 3600",
          "{{receiver}}: events that were refused": "sum by (receiver) (steward_receiver_refused_events)",
          "{{receiver}}: last success (Unix time)":
            "max by (receiver) (steward_receiver_last_success_timestamp_seconds)",
        },
      },
      { title: "Events", lines: { "{{type}}": "sum by (type) (increase(steward_events_total[1h])) > 0" } },
    ],
  },
  {
    title: "The agent",
    panels: [
      {
        title: "Requests",
        unit: "reqps",
        lines: { "{{method}} {{route}}": "sum by (method, route) (rate(steward_http_requests_total[5m]))" },
      },
      {
        title: "Refusals and errors",
        unit: "reqps",
        lines: { "{{status}}": 'sum by (status) (rate(steward_http_requests_total{status=~"[45].."}[5m]))' },
      },
      {
        title: "Duration, 99 of 100",
        unit: "s",
        lines: {
          "{{group}}":
            "histogram_quantile(0.99, sum by (group, le) (rate(steward_http_request_duration_seconds_bucket[5m])))",
        },
      },
      {
        title: "Delay of the event loop, 99 of 100",
        unit: "s",
        lines: {
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
      },
      {
        title: "Memory",
        width: 8,
        unit: "bytes",
        lines: {
          "{{instance}}": "process_resident_memory_bytes",
          "{{instance}} heap": "nodejs_heap_size_used_bytes",
          "{{instance}} heap, all": "nodejs_heap_size_total_bytes",
        },
      },
      {
        title: "Processor",
        width: 8,
        unit: "percentunit",
        lines: { "{{instance}}": "rate(process_cpu_seconds_total[5m])" },
      },
      {
        title: "Time since the start",
        width: 8,
        unit: "s",
        lines: { "{{instance}}": "time() - process_start_time_seconds" },
      },
      {
        title: "Open files",
        width: 8,
        lines: { "{{instance}}": "process_open_fds", "the most that are allowed": "min(process_max_fds)" },
      },
      {
        title: "Memory of the host, available",
        width: 8,
        unit: "percentunit",
        lines: { "{{instance}}": "steward_host_memory_available_bytes / steward_host_memory_bytes" },
      },
      {
        title: "Disk of the state, free",
        width: 8,
        unit: "percentunit",
        lines: { "{{instance}}": "steward_host_disk_available_bytes / steward_host_disk_bytes" },
      },
    ],
  },
];

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
  return rows.flatMap(({ title, panels }) => {
    const heading = {
      id: next(),
      type: "row",
      title,
      collapsed: false,
      gridPos: { h: 1, w: 24, x: 0, y },
      panels: [],
    };
    let x = 0;
    y += 1;
    const own = panels.map((panel) => {
      const { width = 6 } = panel;
      if (x + width > 24) [x, y] = [0, y + height];
      const gridPos = { h: height, w: width, x, y };
      x += width;
      return { id: next(), ...panelOf(panel), gridPos };
    });
    y += height;
    return [heading, ...own];
  });
}

function panelOf({ title, type, unit = "short", lines }: Panel) {
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
