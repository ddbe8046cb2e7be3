import type { ClockInShort } from "../../contract/clock/clock-in-short.ts";
import { clockStates, clockTrusts, sourceStates } from "../../contract/clock-states.ts";
import { needCodes } from "../../contract/need-areas.ts";
import { timeModes } from "../../contract/schemas/clock.ts";
import { deviceStates } from "../../contract/schemas/status.ts";
import { checkOutcomes, updateStates } from "../../contract/schemas/updates.ts";
import type { Need, Status, Updates } from "../../contract/types.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { createExposition, type MetricSink } from "./exposition.ts";
import type { HistogramReading } from "./histogram.ts";
import type { LagReading } from "./loop-delay.ts";

/** The rooms' figures at the moment of a scrape, all of them in memory. */
export interface DeviceReadings {
  readonly state: Status["state"];
  readonly needs: readonly Need[];
  readonly checks: readonly { readonly name: string; readonly isOk: boolean }[];
  readonly clock: ClockInShort;
  readonly isSynchronised: boolean;
  readonly updates: Updates;
  /** The end of the certificate that HTTPS shows; null: there is none. */
  readonly certificateEnd: Date | null;
  readonly people: NonNullable<Status["people"]>;
  readonly sessions: number;
  /** The time at which the first API token ends; null: none does. */
  readonly nextTokenEnd: Date | null;
  readonly receivers: readonly ReceiverReading[];
  /** The device is not what the last configuration said; null: none was applied. */
  readonly drift: boolean | null;
  /** RFC 3339; null: there was none. */
  readonly lastBackupAt: string | null;
}

/** A receiver of messages, by its name in the settings or of the host file. */
interface ReceiverReading {
  readonly name: string;
  readonly waiting: number;
  readonly failing_seconds: number;
  readonly refused: number;
  /** RFC 3339; null: none yet. */
  readonly last_success: string | null;
}

/** The figures of the program and its host at the same moment. */
interface HostReadings {
  readonly build: { readonly version: string; readonly commit: string | null; readonly node: string };
  readonly process: ProcessReadings;
  /** null: it is not measured for this reader. */
  readonly loopDelay: HistogramReading | null;
  readonly lag: LagReading | null;
  readonly memory: { readonly total_bytes: number; readonly available_bytes: number };
  /** The file system of the state; null: it does not give its figures. */
  readonly disk: { readonly sizeBytes: number; readonly availableBytes: number } | null;
}

export interface ProcessReadings {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly heapTotalBytes: number;
  readonly openFiles: number;
  /** Null: the host does not say. */
  readonly mostOpenFiles: number | null;
  /** Seconds since 1970. */
  readonly startSeconds: number;
}

/** Counts that the agent keeps besides the rooms' figures. */
export interface Counted {
  writeTo(sink: MetricSink): void;
}

/** Writes the answers of GET /api/metrics; `counted` add their counts. */
export function createMetricsText(
  counted: readonly Counted[],
): (readings: DeviceReadings, host: HostReadings) => string {
  const exposition = createExposition();
  return (readings, host) => {
    writeMetrics(exposition, counted, readings, host);
    return exposition.text();
  };
}

export function writeMetrics(
  sink: MetricSink,
  counted: readonly Counted[],
  readings: DeviceReadings,
  host: HostReadings,
): void {
  const { version, commit, node } = host.build;
  sink.add("steward_build_info", 1, { version, commit: commit ?? "", node });
  writeDevice(sink, readings);
  writeHost(sink, host);
  writeClock(sink, readings);
  writeUpdates(sink, readings.updates);
  writePeople(sink, readings);
  writeReceivers(sink, readings);
  writeProcess(sink, host);
  for (const one of counted) one.writeTo(sink);
}

/** One value for all, so that it is known to be the same. */
const unlabelled = {} as const;

function writeDevice({ add, addStates }: MetricSink, readings: DeviceReadings): void {
  const { state, needs, checks, certificateEnd, drift, lastBackupAt } = readings;
  addStates("steward_device_state", "state", deviceStates, state);
  addStates("steward_need", "code", needCodes, new Set(needs.map(({ code }) => code)));
  for (const { facts } of needs) {
    const { unit, name } = facts as { unit?: string; name?: string };
    if (unit !== undefined && name !== undefined) add("steward_product_need", 1, { code: name });
  }
  for (const { name, isOk } of checks) add("steward_health_check_ok", flag(isOk), { check: name });
  add("steward_configuration_drift", drift === null ? null : flag(drift), unlabelled);
  add("steward_backup_last_timestamp_seconds", secondsOf(lastBackupAt), unlabelled);
  const end = certificateEnd?.toISOString() ?? null;
  add("steward_https_certificate_expiry_timestamp_seconds", secondsOf(end), unlabelled);
}

function writeHost({ add }: MetricSink, { memory, disk }: HostReadings): void {
  add("steward_host_memory_bytes", memory.total_bytes, unlabelled);
  add("steward_host_memory_available_bytes", memory.available_bytes, unlabelled);
  add("steward_host_disk_bytes", disk?.sizeBytes ?? null, unlabelled);
  add("steward_host_disk_available_bytes", disk?.availableBytes ?? null, unlabelled);
}

function writeClock({ add, addStates }: MetricSink, { clock, isSynchronised }: DeviceReadings): void {
  add("steward_clock_time_seconds", secondsOf(clock.server_time), unlabelled);
  add("steward_clock_offset_seconds", clock.offset_seconds, unlabelled);
  add("steward_clock_uncertainty_seconds", clock.uncertainty_seconds, unlabelled);
  add("steward_clock_synchronised", flag(isSynchronised), unlabelled);
  addStates("steward_clock_state", "state", clockStates, clock.state);
  addStates("steward_clock_trust", "trust", clockTrusts, clock.trust);
  add("steward_clock_authenticated", flag(clock.authenticated), unlabelled);
  addStates("steward_clock_mode", "mode", timeModes, clock.mode);
  for (const state of sourceStates) {
    const count = clock.sources.filter((source) => source.state === state).length;
    add("steward_clock_sources", count, { state });
  }
  const authenticated = clock.sources.filter((source) => source.authenticated).length;
  add("steward_clock_authenticated_sources", authenticated, unlabelled);
  add("steward_clock_last_sync_age_seconds", clock.last_sync_age_seconds, unlabelled);
  const { rounds, steps, conflicts } = clock.counters;
  add("steward_clock_polls_total", rounds ?? null, unlabelled);
  add("steward_clock_steps_total", steps ?? null, unlabelled);
  add("steward_clock_conflicts_total", conflicts ?? null, unlabelled);
}

function writeUpdates({ add, addStates }: MetricSink, updates: Updates): void {
  const { state, installed, available, blockers, failed, held, trial, schedule, trust } = updates;
  addStates("steward_update_state", "state", updateStates, state);
  for (const kind of updateKinds) {
    const count = (releases: readonly { readonly kind: string }[]) =>
      releases.filter((release) => release.kind === kind).length;
    const [present, offered] = [installed[kind], available[kind]];
    if (present !== null) add("steward_update_installed_info", 1, { kind, version: present });
    if (offered) add("steward_update_available_info", 1, { kind, version: offered.version });
    add("steward_update_staged", flag(offered?.staged === true), { kind });
    add("steward_update_blocked", flag((blockers?.[kind] ?? null) !== null), { kind });
    add("steward_update_failed_releases", count(failed.filter(({ state }) => state === "open")), { kind });
    add("steward_update_held_releases", count(held), { kind });
    add("steward_update_trial", flag(trial?.kind === kind), { kind });
  }
  const { enabled, last_check, last_success_at, failures } = schedule;
  add("steward_update_automatic", flag(enabled), unlabelled);
  add("steward_update_last_check_timestamp_seconds", secondsOf(last_check?.at ?? null), unlabelled);
  add("steward_update_last_success_timestamp_seconds", secondsOf(last_success_at), unlabelled);
  if (last_check !== null) {
    addStates("steward_update_last_check_outcome", "outcome", checkOutcomes, last_check.outcome);
  }
  add("steward_update_check_failures", failures, unlabelled);
  add("steward_update_trust_installed", flag(trust.installed), unlabelled);
  add("steward_update_trust_established", flag(trust.established), unlabelled);
  add("steward_update_root_expiry_timestamp_seconds", secondsOf(trust.root_expires_at), unlabelled);
}

function writePeople({ add }: MetricSink, { people, sessions, nextTokenEnd }: DeviceReadings): void {
  add("steward_sessions", sessions, unlabelled);
  add("steward_accounts", people.accounts, unlabelled);
  add("steward_accounts_administrators", people.administrators, unlabelled);
  add("steward_accounts_disabled", people.disabled, unlabelled);
  add("steward_accounts_locked", people.locked, unlabelled);
  add("steward_accounts_second_factor_missing", people.two_factor_missing, unlabelled);
  add("steward_api_tokens", people.tokens, unlabelled);
  const end = nextTokenEnd?.toISOString() ?? null;
  add("steward_api_tokens_next_expiry_timestamp_seconds", secondsOf(end), unlabelled);
}

function writeReceivers({ add }: MetricSink, { receivers }: DeviceReadings): void {
  for (const { name, waiting, failing_seconds, refused, last_success } of receivers) {
    const labels = { receiver: name };
    add("steward_receiver_waiting_events", waiting, labels);
    add("steward_receiver_failing_seconds", failing_seconds, labels);
    add("steward_receiver_refused_events", refused, labels);
    add("steward_receiver_last_success_timestamp_seconds", secondsOf(last_success), labels);
  }
}

function writeProcess(
  { add, addHistogram }: MetricSink,
  { process: own, loopDelay, lag }: HostReadings,
): void {
  add("process_cpu_seconds_total", own.cpuSeconds, unlabelled);
  add("process_resident_memory_bytes", own.residentBytes, unlabelled);
  add("process_start_time_seconds", own.startSeconds, unlabelled);
  add("process_open_fds", own.openFiles, unlabelled);
  add("process_max_fds", own.mostOpenFiles, unlabelled);
  add("nodejs_heap_size_used_bytes", own.heapBytes, unlabelled);
  add("nodejs_heap_size_total_bytes", own.heapTotalBytes, unlabelled);
  if (lag !== null) {
    add("nodejs_eventloop_lag_seconds", lag.last, unlabelled);
    for (const [figure, name] of lagFigures) add(name, lag[figure], unlabelled);
  }
  if (loopDelay !== null) addHistogram("steward_event_loop_delay_seconds", loopDelay, unlabelled);
}

/** Names as constants: V8 would hash those that are made at each scrape. */
const lagFigures = (["min", "max", "mean", "p50", "p90", "p99"] as const).map(
  (figure) => [figure, `nodejs_eventloop_lag_${figure}_seconds`] as const,
);

function flag(isSo: boolean): number {
  return isSo ? 1 : 0;
}

function secondsOf(moment: string | null): number | null {
  return moment === null ? null : Date.parse(moment) / 1_000;
}
