/** A life that can be ended between any two of its deeds, as a killed process ends. */
export interface Life {
  readonly isDead: () => boolean;
  kill(): void;
  /** Ends the life just before its nth deed from now. */
  killAt(deeds: number): void;
  readonly deeds: () => number;
  /** Wraps something of the outside: once dead, nothing reaches it and nothing comes back. */
  mortal<T extends object>(target: T): T;
}

type Callback = (...args: unknown[]) => unknown;

class Dead extends Error {}

export function createLife(): Life {
  let isDead = false;
  let deeds = 0;
  let last = Number.POSITIVE_INFINITY;
  const deed = (): void => {
    deeds += 1;
    if (deeds >= last) isDead = true;
  };
  const life: Life = {
    isDead: () => isDead,
    deeds: () => deeds,
    kill: () => {
      isDead = true;
    },
    killAt: (from) => {
      last = deeds + from;
    },
    mortal: (target) =>
      new Proxy(target, {
        get(object, key) {
          const value: unknown = Reflect.get(object, key);
          if (typeof value !== "function") return value;
          return (...args: unknown[]) => {
            if (isDeed(key)) deed();
            if (isDead) return die(key);
            const given = args.map((one) =>
              typeof one === "function" ? guarded(one as Callback) : one,
            );
            return surviving((value as (...all: unknown[]) => unknown).apply(object, given));
          };
        },
      }),
  };
  const guarded =
    (work: Callback): Callback =>
    (...args) =>
      isDead ? undefined : work(...args);
  /** A promise that settles after the end of the life is never heard of. */
  const surviving = (result: unknown): unknown => {
    if (!(result instanceof Promise)) return result;
    return new Promise((resolve, reject) => {
      result.then(
        (value) => isDead || resolve(value),
        (error) => isDead || reject(error),
      );
    });
  };
  return life;
}

/** Only what changes something outside is a point to die at. */
function isDeed(key: string | symbol): boolean {
  return (
    typeof key === "string" &&
    /^(set|put|remove|add|acknowledge|transaction|create|start|stop|ensure|register|heartbeat|report)/.test(
      key,
    )
  );
}

/** What the dead get: promises for ever, and from what answers at once, an end. */
function die(key: string | symbol): unknown {
  if (key === "after") return () => undefined;
  if (key === "now" || key === "elapsed") return 0;
  const asynchronous =
    /^(create|start|stop|remove|wait|inspect|list|ensure|output|has|poll|register|heartbeat|report)$/;
  if (
    typeof key === "string" &&
    (asynchronous.test(key) || /^(ensureImage|outputTail|hasImage)$/.test(key))
  ) {
    return new Promise(() => undefined);
  }
  throw new Dead(`dead at ${String(key)}`);
}
