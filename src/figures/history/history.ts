import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ClockInShort } from "../../contract/clock/clock-in-short.ts";
import { messageOf, systemErrorCode } from "../../contract/errors.ts";
import { historySeriesNames } from "../../contract/figures/history.ts";
import type { History } from "../../contract/types.ts";
import { removeLeftovers, writeDurably } from "../../store/files/durable-file.ts";
import { readRegular } from "../../store/files/regular-file.ts";
import { type Figures, forms, type HistorySeriesName, meanOf, unknownBits, worstOf } from "./figures.ts";
import { historyFile } from "./file-name.ts";
import { Ring, stepSeconds } from "./ring.ts";
import { decodeRing, encodeRing, fileBytes } from "./ring-file.ts";
import { type Moment, Timeline } from "./timeline.ts";

/** Seconds between two writes of the file: what a power cut takes at most, and what the flash is worn by. */
const writeSeconds = 3_600;

/** Seconds, as of a clock that was just read. */
export type ClockFigures = Pick<ClockInShort, "offset_seconds" | "uncertainty_seconds">;

interface HistoryOptions {
  /** The state's. */
  readonly directory: string;
  /** The state is another process's: no readings are taken, and a file that cannot be read stays. */
  readonly readsOnly: boolean;
  readonly moment: () => Moment;
  readonly read: (clock: ClockFigures) => Promise<Figures>;
  /** Logs what happened to the file. */
  readonly warn: (message: string, detail: string) => void;
}

/** The figures of the last seven days. Its file is read when it is first needed. */
export class DeviceHistory {
  readonly #options: HistoryOptions;
  readonly #path: string;
  readonly #timeline = new Timeline();
  #ring: Promise<Ring> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #writtenAt = 0;
  /** Points that were made, and how many of them are on the disk. */
  #points = 0;
  #written = 0;
  #hasFailed = false;

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#path = join(options.directory, historyFile);
  }

  /** Takes a reading, and writes the file if that is due. Called once a minute. Never rejects. */
  async take(clock: ClockFigures): Promise<void> {
    const moment = this.#options.moment();
    const figures = await this.#options.read(clock).catch(() => null);
    if (figures === null || !this.#timeline.add(moment, figures)) return;
    this.#points += 1;
    const ring = await this.#open();
    this.#timeline.settle(ring, moment);
    if (moment.uptimeSeconds - this.#writtenAt < writeSeconds) return;
    this.#writtenAt = moment.uptimeSeconds;
    this.#writing = this.#writing.then(() => this.#write(ring));
    await this.#writing;
  }

  /** Figures of the last hours, in steps of a multiple of those kept. Steps begin at multiples of their length. */
  async read(hours: number, seconds: number = stepSeconds): Promise<History> {
    const { ring, present } = this.#timeline.laid(await this.#open(), this.#options.moment());
    const size = seconds / stepSeconds;
    const steps = (hours * 3_600) / seconds;
    const first = (Math.floor(present / size) - steps) * size;
    const groups = Array.from({ length: steps }, (_, step) => pointsFrom(ring, first + step * size, size));
    const seriesOf = (name: HistorySeriesName, index: number) => ({
      mean: groups.map((points) => meanIn(name, knownOf(name, points, index * 2))),
      worst: groups.map((points) => worstOf(name, knownOf(name, points, index * 2 + 1))),
    });
    const series = historySeriesNames.map((name, index) => [name, seriesOf(name, index)]);
    return {
      start: new Date(first * stepSeconds * 1_000).toISOString(),
      step_seconds: seconds,
      // One for each name.
      series: Object.fromEntries(series) as History["series"],
    };
  }

  /** The bytes of its file, with all points that there are. */
  async bytes(): Promise<Buffer> {
    return encodeRing(this.#timeline.laid(await this.#open(), this.#options.moment()).ring);
  }

  /** Writes what is not on the disk, the readings since the last point among it. Never rejects. */
  async close(): Promise<void> {
    if (this.#timeline.finish()) this.#points += 1;
    await this.#writing;
    if (this.#written < this.#points) await this.#write(await this.#open());
  }

  #open(): Promise<Ring> {
    this.#ring ??= this.#load();
    return this.#ring;
  }

  async #load(): Promise<Ring> {
    this.#writtenAt = this.#options.moment().uptimeSeconds;
    try {
      const ring = decodeRing(await readRegular(this.#path, fileBytes));
      if (ring !== null) return ring;
      await this.#setAside(`${historyFile} is torn, or not of this program's form.`);
    } catch (error) {
      if (systemErrorCode(error) !== "ENOENT") await this.#setAside(messageOf(error));
    }
    return new Ring();
  }

  async #setAside(detail: string): Promise<void> {
    const kept = `${this.#path}.bad`;
    const move = () => rm(kept, { recursive: true, force: true }).then(() => rename(this.#path, kept));
    const isKept =
      !this.#options.readsOnly &&
      (await move().then(
        () => true,
        () => false,
      ));
    const text = isKept ? `${detail} It is kept as ${kept}.` : detail;
    this.#options.warn("the history of the device cannot be read and begins again", text);
  }

  /** A write that fails is tried again an hour later: all is in memory until then. */
  async #write(ring: Ring): Promise<void> {
    const { warn, moment } = this.#options;
    const points = this.#points;
    try {
      await removeLeftovers(this.#path);
      await writeDurably(this.#path, encodeRing(this.#timeline.laid(ring, moment()).ring));
      [this.#written, this.#hasFailed] = [points, false];
    } catch (error) {
      if (!this.#hasFailed) warn("the history of the device cannot be written", messageOf(error));
      this.#hasFailed = true;
    }
  }
}

/** So many points from a step on, without those that are missing. */
function pointsFrom(ring: Ring, first: number, count: number): readonly Int16Array[] {
  return Array.from({ length: count }, (_, index) => ring.at(first + index)).filter(
    (point) => point !== null,
  );
}

function knownOf(name: HistorySeriesName, points: readonly Int16Array[], column: number): number[] {
  return points.map((point) => figureOf(name, point[column])).filter((figure) => figure !== null);
}

/** With no more digits than a figure that is kept. */
function meanIn(name: HistorySeriesName, means: readonly number[]): number | null {
  const mean = meanOf(means);
  return mean === null || means.length === 1 ? mean : figureOf(name, forms[name].toBits(mean));
}

function figureOf(name: HistorySeriesName, bits = unknownBits): number | null {
  return bits === unknownBits ? null : forms[name].toFigure(bits);
}
