/** The scenario of the containers in the machine, where a boot id, a disk and systemd's own restarts are real. */
export { scenario } from "../../system-test/scenarios/update-binary.ts";
