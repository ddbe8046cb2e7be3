import { AsyncResource, createHook, executionAsyncId } from "node:async_hooks";

/** The parts of node:test's hook on all asynchronous work, under the symbols that async_hooks keeps them. */
interface Hook {
  readonly init: (id: number, type: string, triggerId: number, resource: object) => void;
  readonly destroy: (id: number) => void;
}

/**
 * Keeps node:test from following every promise, which is 7 % of the processor time of all tests. It does so to know the
 * test of an error that no test has caught. Here it learns of the tests only, and such an error fails the test that was
 * entered last. To be called before the first test; where node has no such hook, all stays as it is.
 */
export function followTestsOnly(): void {
  const probe = createHook({});
  const prototype = Object.getPrototypeOf(probe) as { enable: (this: typeof probe) => typeof probe };
  const { enable } = prototype;
  prototype.enable = function (this: typeof probe) {
    prototype.enable = enable;
    const hook = partsOf(this);
    if (hook === null) return enable.call(this);
    follow(hook);
    return this;
  };
}

function partsOf(hook: object): Hook | null {
  const parts = Object.getOwnPropertySymbols(hook).map((symbol) => [
    symbol.description,
    Reflect.get(hook, symbol),
  ]);
  const { init, destroy } = Object.fromEntries(parts) as Partial<Hook>;
  return init && destroy ? { init, destroy } : null;
}

function follow({ init, destroy }: Hook): void {
  const { prototype } = AsyncResource;
  const { runInAsyncScope } = prototype;
  let entered = 0;
  // A test is an AsyncResource, and all of its functions are called through here.
  prototype.runInAsyncScope = function (work, self, ...given) {
    // The hook takes a note of tests, and of resources that a test has made; this one has no maker.
    init(this.asyncId(), "", 0, this);
    entered = this.asyncId();
    return Reflect.apply(runInAsyncScope, this, [work, self, ...given]);
  };
  const blameEntered = (): void => {
    const id = executionAsyncId();
    init(id, "", entered, {});
    queueMicrotask(() => destroy(id));
  };
  // node:test adds its own listeners when its hook is enabled: these run before them.
  process.prependListener("uncaughtException", blameEntered);
  process.prependListener("unhandledRejection", blameEntered);
}
