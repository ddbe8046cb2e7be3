/** One metric with all its labels; the types and names are those of Prometheus (text format 0.0.4). */
export interface MetricFamily {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** Names of its labels; of a histogram without `le`. */
  readonly labels: readonly string[];
}

const family =
  <const Type extends MetricFamily["type"]>(type: Type) =>
  <const Labels extends readonly string[]>(help: string, ...labels: Labels) =>
    ({ type, labels, help }) as const;

const [counter, gauge, histogram] = [family("counter"), family("gauge"), family("histogram")];

/**
 * The metrics of GET /api/metrics, in the order of the answer: base units, and a value for each state where only one of
 * them is 1. No label holds the name of a person, an address or a path that a stranger can choose. Those of the process are named as Prometheus' client
 * libraries name them.
 */
export const metricFamilies = {
  steward_build_info: gauge("The program that answers; always 1.", "version", "commit", "node"),
  steward_device_state: gauge("1 for the present state of the device, as GET /api/status has it.", "state"),
  steward_need: gauge(
    "1 while the device needs this of an administrator, as `needs` of GET /api/status.",
    "code",
  ),
  steward_product_need: gauge(
    "1 while the device has this need of its product, by the code of `product.reports` in the host file. Absent otherwise.",
    "code",
  ),
  steward_health_check_ok: gauge("1 while this check of GET /api/health finds nothing wrong.", "check"),
  steward_configuration_drift: gauge(
    "1 while the device is not what the file says that `steward apply` was last given. Absent where none was applied.",
  ),
  steward_backup_last_timestamp_seconds: gauge("When the last backup arrived. Absent: never."),
  steward_host_memory_bytes: gauge("Memory of the host."),
  steward_host_memory_available_bytes: gauge(
    "Memory that programs could get without swapping (MemAvailable of the kernel).",
  ),
  steward_host_disk_bytes: gauge(
    "Size of the file system that the state is on, as of the last look, at most 30 seconds ago. Absent where it does not tell.",
  ),
  steward_host_disk_available_bytes: gauge("Free space on it for the agent."),
  steward_clock_time_seconds: gauge(
    "The time that the device goes by: seconds since 1970. Its difference to the time of the scrape is the error of one of the two.",
  ),
  steward_clock_offset_seconds: gauge(
    "Measured error of the host's clock; positive: it is behind. Absent while it is not known.",
  ),
  steward_clock_uncertainty_seconds: gauge(
    "Root distance (RFC 5905 section 11.1): the most by which the offset can be wrong. Absent while it is not known.",
  ),
  steward_clock_synchronised: gauge("1 while the time is known well enough for sign-in and updates."),
  steward_clock_state: gauge("1 for the present state of the clock.", "state"),
  steward_clock_trust: gauge("1 for how well the time is known at present.", "trust"),
  steward_clock_authenticated: gauge(
    "1 while the time is trusted or accepted by authenticated answers (NTS) of more than half of the time servers.",
  ),
  steward_clock_mode: gauge("1 for the mode of the clock in effect.", "mode"),
  steward_clock_sources: gauge("Time sources in this state.", "state"),
  steward_clock_authenticated_sources: gauge("Time sources whose present answers are authenticated (NTS)."),
  steward_clock_last_sync_age_seconds: gauge(
    "Monotonic time since the clock was last synchronised, which a step does not change. Absent before the first time.",
  ),
  steward_clock_polls_total: counter("Polls of all time servers."),
  steward_clock_steps_total: counter("Times that Steward has stepped the clock."),
  steward_clock_conflicts_total: counter("Times that another program has changed a clock that Steward sets."),
  steward_update_state: gauge("1 for the present state of updates.", "state"),
  steward_update_installed_info: gauge(
    "The installed version of this kind; always 1. Absent where Steward has installed none.",
    "kind",
    "version",
  ),
  steward_update_available_info: gauge(
    "The version of this kind that is offered to this device; always 1. Absent where there is none.",
    "kind",
    "version",
  ),
  steward_update_staged: gauge(
    "1 while a release of this kind is downloaded and verified, and not applied.",
    "kind",
  ),
  steward_update_blocked: gauge(
    "1 while the metadata of this kind cannot be verified, so that no release of it is accepted.",
    "kind",
  ),
  steward_update_failed_releases: gauge(
    "Releases of this kind that failed on this device and wait for a person; 0 once a newer one works here, or an administrator has dismissed them.",
    "kind",
  ),
  steward_update_held_releases: gauge(
    "Releases of this kind that were rolled back or deferred, and are not applied without a request.",
    "kind",
  ),
  steward_update_trial: gauge("1 while a release of this kind is on trial.", "kind"),
  steward_update_automatic: gauge("1 where update.ota.enabled is set: updates are looked for by schedule."),
  steward_update_last_check_timestamp_seconds: gauge(
    "When updates were last looked for, by the device's clock. Absent before the first time.",
  ),
  steward_update_last_success_timestamp_seconds: gauge(
    "When updates were last looked for with success, by the device's clock. Absent before the first time.",
  ),
  steward_update_last_check_outcome: gauge(
    "1 for the outcome of the last check. Absent before the first one.",
    "outcome",
  ),
  steward_update_check_failures: gauge("Checks in a row that failed."),
  steward_update_trust_installed: gauge("1 where a usable root of trust is installed."),
  steward_update_trust_established: gauge("1 where the root of trust is installed, confirmed and proven."),
  steward_update_root_expiry_timestamp_seconds: gauge(
    "When the root of trust in force expires. Absent without one.",
  ),
  steward_https_certificate_expiry_timestamp_seconds: gauge(
    "When the certificate that HTTPS shows expires. Absent where HTTPS is off.",
  ),
  steward_sign_ins_total: counter(
    "Attempts to sign in, by `succeeded` or the code of the refusal; `totp_required`: the password was right, and no second step followed.",
    "outcome",
  ),
  steward_sessions: gauge("Sessions that have neither ended nor expired."),
  steward_accounts: gauge("Accounts."),
  steward_accounts_administrators: gauge("Accounts of administrators that are enabled."),
  steward_accounts_disabled: gauge("Accounts that are disabled."),
  steward_accounts_locked: gauge(
    "Accounts whose sign-in is locked for a while, after too many wrong passwords or codes.",
  ),
  steward_accounts_second_factor_missing: gauge(
    "Enabled accounts without the second factor that security.require_2fa asks for.",
  ),
  steward_api_tokens: gauge("API tokens that have not expired."),
  steward_api_tokens_next_expiry_timestamp_seconds: gauge(
    "When the first of them expires; of tokens of one owner and name the latest counts, since a rotation leaves two. Absent where none expires.",
  ),
  steward_receiver_waiting_events: gauge(
    "Events that this receiver of messages has not acknowledged.",
    "receiver",
  ),
  steward_receiver_failing_seconds: gauge(
    "Time since the first failure after its last success; 0 while deliveries succeed.",
    "receiver",
  ),
  steward_receiver_refused_events: gauge(
    "Events, and pushes of metrics, that it has refused for ever; 0 again after a successful test by a person.",
    "receiver",
  ),
  steward_receiver_last_success_timestamp_seconds: gauge(
    "When a message last reached it, by the device's clock. Absent before the first one since the agent's start.",
    "receiver",
  ),
  steward_events_total: counter(
    "Events by their type; of refusals and reports of the product each one, also where the event log counts several together.",
    "type",
  ),
  steward_http_requests_total: counter(
    "Answers by method, route and status. The route is the path of the contract; `console`: its files; `none`: there is no such route. The method is `other` where it is none of RFC 9110 and no PATCH.",
    "method",
    "route",
    "status",
  ),
  steward_http_request_duration_seconds: histogram(
    "Time until the answer was ready, by the group of routes, which is a tag of the API document, `console` or `none`; of a stream until it began.",
    "group",
  ),
  steward_event_loop_delay_seconds: histogram(
    "Delay of a timer of the agent, measured twice a second while it is scraped: the least that a request has waited.",
  ),
  process_cpu_seconds_total: counter("Processor time of the agent, user and system."),
  process_resident_memory_bytes: gauge("Resident memory of the agent."),
  process_start_time_seconds: gauge("When the agent started: seconds since 1970, by the present clock."),
  process_open_fds: gauge("Open file descriptors of the agent."),
  process_max_fds: gauge("File descriptors that the agent may open."),
  nodejs_heap_size_used_bytes: gauge("JavaScript heap of the agent that is in use."),
  nodejs_heap_size_total_bytes: gauge("JavaScript heap of the agent."),
  nodejs_eventloop_lag_seconds: gauge(
    "Last delay of a timer of the agent. Absent at the first scrape, as are those that follow.",
  ),
  nodejs_eventloop_lag_min_seconds: gauge("The least of the last minute."),
  nodejs_eventloop_lag_max_seconds: gauge("The most of the last minute."),
  nodejs_eventloop_lag_mean_seconds: gauge("The mean of the last minute."),
  nodejs_eventloop_lag_p50_seconds: gauge("The median of the last minute."),
  nodejs_eventloop_lag_p90_seconds: gauge("The 90th percentile of the last minute."),
  nodejs_eventloop_lag_p99_seconds: gauge("The 99th percentile of the last minute."),
} as const satisfies Record<`${"steward" | "process" | "nodejs"}_${string}`, MetricFamily>;

export type MetricName = keyof typeof metricFamilies;

export type MetricLabels<Name extends MetricName> = {
  readonly [Label in (typeof metricFamilies)[Name]["labels"][number]]: string;
};
