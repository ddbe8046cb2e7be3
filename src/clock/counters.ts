/** Counts of what the clock's loop has done since the agent's start. */
export type Counters = ReturnType<typeof createCounters>;

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

export function createCounters() {
  const counts = Object.fromEntries(names.map((name) => [name, 0])) as Record<CounterName, number>;
  return {
    add: (name: CounterName, by: number = 1): void => {
      counts[name] += by;
    },
    read: (): Record<CounterName, number> => ({ ...counts }),
  };
}
