/** Tests of alerts.yml for promtool: a device that is well raises none of them, each is raised by its fault and not before. */
import { mkdirSync, writeFileSync } from "node:fs";

/**
 * Each alert with its severity, when it is still quiet, when it fires, and the labels that it has besides; below it the
 * series of its fault, with their values in promtool's notation. They are of one device unless they name a job. For
 * StewardRolloutFails one of 60 devices undoes an update, then two of them: 1.7 %, then 3.3 %; one series counts as all 60.
 */
const faults = `
StewardAbsent critical 19m 25m
  up 1+0x5 stale
StewardMetricsAbsent warning 19m 25m
  up 1+0x60
  up{job="steward",instance="edge-8:8443"} 0+0x60
  steward_device_state{state="ok"} 1+0x5 stale
StewardDown critical 8m 12m
  up 1+0x5 0+0x20
StewardFailing critical 8m 12m state="failing"
  steward_device_state{state="failing"} 0+0x5 1+0x20
StewardHealthCheckFails warning 18m 22m check="disk"
  steward_health_check_ok{check="disk"} 1+0x5 0+0x40
StewardConfigurationDrifts warning 60m 68m
  steward_configuration_drift 0+0x5 1+0x90
StewardBackupOld warning 11610m 196h
  steward_backup_last_timestamp_seconds 3600x14400
StewardNeedsAdministrator info 23h 25h code="support_ending"
  steward_need{code="support_ending"} 0+0x5 1+0x1800
StewardProductReports warning 8m 12m code="pressure_low"
  steward_product_need{code="pressure_low"} _x6 1+0x20
StewardRestarts warning 15m 20m
  process_start_time_seconds 0+0x5 100+0x3 400+0x3 700+0x3 1000+0x30
StewardCertificateExpires warning 110m 125m
  steward_clock_time_seconds 0+60x200
  steward_https_certificate_expiry_timestamp_seconds 1213200+0x200
StewardClockNotSynchronised warning 30m 40m
  steward_clock_synchronised 1+0x5 0+0x60
StewardClockOff warning 18m 25m
  steward_clock_offset_seconds 0+0x5 -0.2+0x60
StewardClockUncertain warning 60m 70m
  steward_clock_uncertainty_seconds 0+0x5 2+0x90
StewardClockDiffers critical 8m 15m
  steward_clock_time_seconds 0+60x5 -3300+60x30
StewardTimeServerFalse warning 60m 70m state="falseticker"
  steward_clock_sources{state="falseticker"} 0+0x5 1+0x90
StewardTimeServerUnreachable info 6h 7h state="unreachable"
  steward_clock_sources{state="unreachable"} 0+0x5 1+0x480
StewardClockStepsOften warning 150m 200m
  steward_clock_steps_total 0+0x60 1+0x60 2+0x60 3+0x1300
StewardClockConflict warning 25m 35m
  steward_clock_conflicts_total 0+0x30 1+0x30
StewardUpdateCheckFails warning 80m 100m
  steward_update_check_failures 2+0x30 3+0x90
StewardUpdatesNotChecked warning 110m 125m
  steward_clock_time_seconds 0+60x200
  steward_update_automatic 1+0x200
  steward_update_last_success_timestamp_seconds -601200+0x200
StewardUpdateBlocked critical 60m 70m kind="rules"
  steward_update_blocked{kind="rules"} 0+0x5 1+0x90
StewardUpdateFailed warning 8m 15m kind="binary"
  steward_update_failed_releases{kind="binary"} 0+0x5 1+0x30
StewardUpdateWithdrawn critical 8m 15m code="update_withdrawn"
  steward_need{code="update_withdrawn"} 0+0x5 1+0x30
StewardUpdateStuck warning 2h 130m kind="binary"
  steward_update_trial{kind="binary"} 0+0x5 1+0x150
StewardUpdateRootExpires warning 110m 125m
  steward_clock_time_seconds 0+60x200
  steward_update_root_expiry_timestamp_seconds 2595600+0x200
StewardGuessing warning 20m 40m
  steward_sign_ins_total{outcome="invalid_credentials"} 0+0x20 0+4x30
  steward_sign_ins_total{outcome="totp_invalid"} 0+1x50
  steward_sign_ins_total{outcome="succeeded"} 0+90x50
StewardAccountsLocked info 6m 10m
  steward_accounts_locked 0+0x5 2+0x30
StewardTokenExpires warning 110m 125m
  steward_clock_time_seconds 0+60x200
  steward_api_tokens_next_expiry_timestamp_seconds 1213200+0x200
StewardSessionStolen critical 9m 12m type="session.reused"
  steward_events_total{type="session.reused"} 0+0x10 1+0x30
StewardErrors warning 28m 45m
  steward_http_requests_total{method="GET",route="/api/status",status="200"} 0+9x60
  steward_http_requests_total{method="GET",route="/api/status",status="500"} 0+0x20 0+1x40
StewardSlow warning 14m 30m
  steward_event_loop_delay_seconds_bucket{le="0.25"} 0+100x60
  steward_event_loop_delay_seconds_bucket{le="1"} 0+120x60
  steward_event_loop_delay_seconds_bucket{le="+Inf"} 0+120x60
StewardMemory warning 30m 40m
  process_resident_memory_bytes 180000000+0x5 210000000+0x60
StewardMessagesFail warning 68m 80m receiver="alerts"
  steward_receiver_failing_seconds{receiver="alerts"} 0+0x5 60+60x80
StewardMessagesRefused warning 5m 10m receiver="otlp"
  steward_receiver_refused_events{receiver="otlp"} 0+0x5 2+0x20
StewardRolloutFails critical 30m 45m
  steward_events_total{job="steward",instance="a",type="update.undone"} 0+0x20 1+0x60
  steward_events_total{job="steward",instance="b",type="update.undone"} 0+0x40 1+0x40
  steward_build_info{job="steward"} 60+0x80
`;

/** The series of a device that is well, behind their values. */
const well = `
1+0x1800: up steward_build_info{version="1.0.0"} steward_device_state{state="ok"}
  steward_health_check_ok{check="disk"} steward_clock_synchronised steward_clock_steps_total
  steward_update_automatic
0+0x1800: steward_device_state{state="attention"} steward_device_state{state="failing"}
  steward_need{code="support_ending"} steward_clock_sources{state="falseticker"}
  steward_clock_sources{state="unreachable"} steward_clock_conflicts_total
  steward_update_blocked{kind="rules"} steward_update_failed_releases{kind="rules"}
  steward_events_total{type="update.undone"} steward_events_total{type="session.reused"}
  steward_accounts_locked steward_http_requests_total{method="GET",route="/api/status",status="503"}
7776000+0x1800: steward_https_certificate_expiry_timestamp_seconds
  steward_api_tokens_next_expiry_timestamp_seconds
-100+0x1800: process_start_time_seconds
90000000+0x1800: process_resident_memory_bytes
0.004+0x900 -0.004+0x899: steward_clock_offset_seconds
0.03+0x1800: steward_clock_uncertainty_seconds
0.2+60x1800: steward_clock_time_seconds
3+0x1800: steward_clock_sources{state="candidate"}
0+0x900 1+0x30 0+0x868: steward_update_check_failures
-80000+60x1800: steward_update_last_success_timestamp_seconds
0+0x600 1+0x20 0+0x1178: steward_update_trial{kind="rules"}
31536000+0x1800: steward_update_root_expiry_timestamp_seconds
0+2x1800: steward_sign_ins_total{outcome="succeeded"}
0+1x1800: steward_sign_ins_total{outcome="invalid_credentials"}
  steward_http_requests_total{method="GET",route="/api/metrics",status="200"}
0+115x1800: steward_event_loop_delay_seconds_bucket{le="0.005"}
0+120x1800: steward_event_loop_delay_seconds_bucket{le="0.25"} steward_event_loop_delay_seconds_bucket{le="1"}
  steward_event_loop_delay_seconds_bucket{le="+Inf"}
`;

const device = 'job="steward",instance="edge-7:8443"';

function seriesOf(name: string, values: string): object {
  const [metric, labels = ""] = name.split(/[{}]/);
  const all = labels.startsWith("job=") ? labels : [device, labels].filter(Boolean).join();
  return { series: `${metric}{${all}}`, values };
}

/** The first one always fires, and the devices of the other tests have no `up`. */
const leftOut = "StewardWatchdog|StewardAbsent|StewardMetricsAbsent";
const firing = (others: string): string => `ALERTS{alertstate="firing",alertname${others}}`;

function testOf(text: string): object {
  const [head = "", ...series] = text.trimEnd().split("\n  ");
  const [name = "", severity, quiet, end, labels = []] = head.split(" ");
  const expr = firing(leftOut.includes(name) ? `="${name}"` : `!~"${leftOut}"`);
  const whose = /Absent$|Rollout/.test(name) && !name.includes("Metrics") ? 'job="steward"' : device;
  const all = [`alertname="${name}",alertstate="firing",severity="${severity}"`, whose, labels].flat();
  return {
    ...{ name, interval: "1m" },
    input_series: series.map((line) => seriesOf(...(line.split(/ (.*)/) as [string, string]))),
    promql_expr_test: [
      { eval_time: quiet, expr, exp_samples: [] },
      { eval_time: end, expr, exp_samples: [{ labels: `ALERTS{${all.join()}}`, value: 1 }] },
    ],
  };
}

/** As promtool takes them: JSON is YAML as well. */
export function alertsTests() {
  const groups = well.trim().split(/\n(?! )/);
  const input_series = groups.flatMap((group) => {
    const [values = "", names = ""] = group.split(": ", 2);
    return names.split(/\s+/).map((name) => seriesOf(name, values));
  });
  const isWell = (eval_time: string) => ({
    ...{ eval_time, expr: firing('!="StewardWatchdog"'), exp_samples: [] },
  });
  const labels = 'ALERTS{alertname="StewardWatchdog",alertstate="firing",severity="info"}';
  const watchdog = {
    ...{ eval_time: "1m", expr: 'ALERTS{alertname="StewardWatchdog"}', exp_samples: [{ labels, value: 1 }] },
  };
  const exp_annotations = {
    summary: "The clock of edge-7:8443 is off by 0.25 s and is not corrected",
    runbook: "docs/troubleshooting.md#correct-a-wrong-clock-on-the-device",
  };
  const exp_labels = { severity: "warning", job: "steward", instance: "edge-7:8443" };
  const exp_alerts = [{ exp_labels, exp_annotations }];
  const tests = [
    {
      ...{ name: "a device that is well", interval: "1m", input_series },
      promql_expr_test: ["20m", "11h", "16h", "30h"].map(isWell),
    },
    { name: "StewardWatchdog", interval: "1m", promql_expr_test: [watchdog] },
    ...faults
      .trim()
      .split(/\n(?! )/)
      .map(testOf),
    {
      ...{ name: "the words of an alert", interval: "1m" },
      input_series: [seriesOf("steward_clock_offset_seconds", "-0.25+0x60")],
      alert_rule_test: [{ alertname: "StewardClockOff", eval_time: "20m", exp_alerts }],
    },
  ];
  return { rule_files: ["alerts.yml"], evaluation_interval: "1m", tests };
}

if (process.argv[1] === import.meta.filename) {
  mkdirSync("var", { recursive: true });
  writeFileSync("var/alerts.test.yml", `${JSON.stringify(alertsTests(), null, 2)}\n`);
}
