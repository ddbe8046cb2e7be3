/** The pages of one browser share these: storage, messages, locks. */

/** A Storage whose entries are also its members, as a browser's are. */
export function sharedStorage(): Storage {
  const methods = {
    getItem: (name: string) => kept[name] ?? null,
    setItem: (name: string, value: string) => {
      kept[name] = String(value);
    },
    removeItem: (name: string) => {
      delete kept[name];
    },
    clear: () => {
      for (const name of Object.keys(kept)) delete kept[name];
    },
    key: (index: number) => Object.keys(kept)[index] ?? null,
  };
  const kept: Record<string, string> = Object.create(methods);
  Object.defineProperty(methods, "length", { get: () => Object.keys(kept).length });
  return kept as unknown as Storage;
}

interface Channel {
  readonly name: string;
  readonly owner: object;
  hear(data: unknown): void;
}

/** BroadcastChannel among the pages of a browser. */
export class Channels {
  #all: Channel[] = [];

  /** The class that the scripts of this page find. */
  classFor(owner: object) {
    const channels = this;
    return class extends EventTarget {
      readonly #own: Channel;
      constructor(name: string) {
        super();
        const hear = (data: unknown): void =>
          void this.dispatchEvent(Object.assign(new Event("message"), { data }));
        this.#own = { name, owner, hear };
        channels.#all.push(this.#own);
      }
      postMessage(data: unknown): void {
        const copy = structuredClone(data);
        for (const one of channels.#all)
          if (one !== this.#own && one.name === this.#own.name)
            setTimeout(() => channels.#all.includes(one) && one.hear(copy));
      }
      close(): void {
        channels.#all = channels.#all.filter((one) => one !== this.#own);
      }
    };
  }

  leave(owner: object): void {
    this.#all = this.#all.filter((one) => one.owner !== owner);
  }
}

/** navigator.locks, one holder a name. */
export class Locks {
  readonly #last = new Map<string, Promise<unknown>>();

  request<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(name) ?? Promise.resolve()).then(work, work);
    this.#last.set(
      name,
      turn.catch(() => undefined),
    );
    return turn;
  }
}
