import type { EventType } from "../../../../../contract/event-types.ts";

/** What an event is about, as people read it; empty where it has no such thing. */
export interface HappenedFacts {
  readonly who: string;
  /** Why it was refused; empty: it was not. */
  readonly code: string;
  readonly about: string;
  /** `base 1.3.0`. */
  readonly release: string;
  /** A length of time. */
  readonly span: string;
  /** The new value, such as a time source or a host name; of a postponement its length. */
  readonly to: string;
}

/** Those who have no name, at the beginning of a sentence. */
export const actors = {
  anonymous: "A stranger",
  "local-root": "Root on the device",
  user: "A user",
  token: "A program",
  agent: "The device",
};

/** An event in a sentence, by type. */
export const happened = {
  "setup.done": () => "The device was set up",
  "setup.rescued": ({ about }) => `${about} was let in from the device's terminal`,
  "sign_in.succeeded": ({ who }) => `${who} signed in`,
  "sign_in.refused": ({ about }) =>
    about === "" ? "A sign-in was refused" : `A sign-in as ${about} was refused`,
  "step_up.succeeded": ({ who }) => `${who} gave the password again`,
  "session.ended": ({ who }) => `${who} ended a session`,
  "session.reused": ({ about }) => `A copied session of ${about} was detected`,
  "session.cookie_refused": () => "A session cookie was refused",
  "password.changed": ({ who }) => `${who} changed their password`,
  "user.created": ({ who, about }) => `${who} added ${about}`,
  "user.changed": ({ who, about }) => `${who} changed ${about}`,
  "user.deleted": ({ who, about }) => `${who} deleted ${about}`,
  "user.password_reset": ({ who, about }) => `${who} reset the password of ${about}`,
  "user.unlocked": ({ who, about }) => `${who} unlocked ${about}`,
  "user.rescued": ({ who, about }) => `${who} restored the access of ${about}`,
  "user.sessions_ended": ({ who, about }) => `${who} ended the sessions of ${about}`,
  "two_factor.set_up": ({ who }) => `${who} began to set up a second factor`,
  "two_factor.enabled": ({ who }) => `${who} switched the second factor on`,
  "two_factor.disabled": ({ who }) => `${who} switched the second factor off`,
  "two_factor.recovered": ({ about }) => `The lost second factor of ${about} was removed`,
  "two_factor.recovery_codes_made": ({ who }) => `${who} created recovery codes`,
  "two_factor.skew_seen": ({ about }) => `A code of ${about} was of another time`,
  "codes.locked": ({ about }) => `Codes of ${about} are locked after wrong ones`,
  "token.created": ({ who, about }) => `${who} created the API token ${about}`,
  "token.rotated": ({ who, about }) => `${who} rotated the API token ${about}`,
  "token.deleted": ({ who, about }) => `${who} deleted the API token ${about}`,
  "token.tolerated": ({ who }) => `An expired sign-in of ${who} was accepted to correct the clock`,
  "clock.epoch_raised": () => "Access tokens were renewed after a clock step",
  "clock.stepped": ({ span }) => `The clock was corrected by ${span}`,
  "clock.set_by_hand": ({ who }) => `${who} set the clock by hand`,
  "clock.source_changed": ({ to }) =>
    to === "" ? "The clock has no time source" : `The clock follows ${to}`,
  "clock.contradicted": ({ to }) => `${to} contradicts the clock`,
  "clock.panicked": ({ span }) => `The time servers ask for too large a correction: ${span}`,
  "clock.contested": () => "Another program changed the clock",
  "clock.sync_requested": ({ who }) => `${who} asked the time servers`,
  "clock.reselect_requested": ({ who }) => `${who} had the time servers chosen again`,
  "clock.floor_reset": ({ who }) => `${who} reset the earliest possible time`,
  "update.trust_installed": () => "A root of trust was installed",
  "update.trust_confirmed": ({ who }) => `${who} confirmed the publisher's fingerprint`,
  "update.root_rotated": () => "The publisher replaced the root of trust",
  "update.check_requested": ({ who }) => `${who} checked for updates`,
  "update.check_failed": () => "A check for updates failed",
  "update.check_recovered": () => "Checks for updates work again",
  "update.available": ({ release }) => `${release} is available`,
  "update.staged": ({ release }) => `${release} was downloaded and verified`,
  "update.download_failed": ({ release }) => `Downloading ${release} failed`,
  "update.apply_requested": ({ who }) => `${who} requested an update`,
  "update.rollback_requested": ({ who }) => `${who} asked to undo an update`,
  "update.postponed": ({ who, to }) =>
    /^0/.test(to) ? `${who} ended the postponement of an update` : `${who} postponed an update`,
  "update.failure_dismissed": ({ who, release }) => `${who} dismissed the failure of ${release}`,
  "update.applying": ({ release }) => `${release} is being applied`,
  "update.applied": ({ release }) => `${release} is good`,
  "update.undone": ({ release }) => `${release} was undone`,
  "update.refused": ({ release }) => (release === "" ? "An update was refused" : `${release} was refused`),
  "settings.changed": ({ who }) => `${who} changed settings`,
  "configuration.applied": ({ who }) => `${who} applied a configuration`,
  "host_file.read": () => "The host file was read again",
  "host_file.refused": () => "The host file was refused",
  "https.certificate_changed": () => "The certificate was changed",
  "https.certificate_refused": () => "A certificate was refused",
  "host.changed": ({ who, to }) =>
    to === "" ? `${who} changed the time zone` : `${who} named the device ${to}`,
  "host.reboot_requested": ({ who }) => `${who} restarted the device`,
  "host.power_off_requested": ({ who }) => `${who} switched the device off`,
  "host.reset_requested": ({ who }) => `${who} requested a factory reset`,
  "host.reset": () => "The device was reset to its factory state",
  "host.identity_changed": () => "Copied data was adopted by this device",
  "state.damage_found": () => "Damaged data was found",
  "state.damage_accepted": () => "Root accepted the damage",
  "need.began": ({ to }) => `To do: ${to}`,
  "need.ended": ({ to }) => `Done: ${to}`,
  "request.refused": ({ who, code }) => {
    if (code === "step_up_required") return `${who} was asked for the password again`;
    if (/^(authentication|invalid_token)/.test(code)) return "A request without a valid sign-in was refused";
    if (/many|limited|locked/.test(code)) return "Requests were refused because there were too many";
    if (/wrong|totp|recovery/.test(code)) return `A wrong password or code of ${who} was refused`;
    return `${who} asked for something that they are not allowed to do`;
  },
} satisfies Record<EventType, (facts: HappenedFacts) => string>;
