/** Counts of what the clock's loop has done since the agent's start. */
export interface Counters {
  add(name: CounterName, by?: number): void;
  /** A copy of the present counts. */
  read(): Record<CounterName, number>;
}

const names = [
  "rounds",
  "exchanges",
  "samples",
  "silences",
  "kisses",
  "bad_packets",
  "steps",
  "slews",
  "frequency_changes",
  "panics",
  "conflicts",
  "opinions",
  "suspects",
  "name_look_ups",
] as const;

export type CounterName = (typeof names)[number];

export function createCounters(): Counters {
  const counts = Object.fromEntries(names.map((name) => [name, 0])) as Record<CounterName, number>;
  return {
    add: (name, by = 1) => {
      counts[name] += by;
    },
    read: () => ({ ...counts }),
  };
}
