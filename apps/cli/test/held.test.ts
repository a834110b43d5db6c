import { describe, expect, it } from "vitest";
import { holdStarted } from "../src/dev/held.ts";

const later = <T>(): { promise: Promise<T>; resolve: (value: T) => void } => {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
};

describe("what mesh dev has started", () => {
  it("is stopped in the reverse order, each once", async () => {
    const stopped: string[] = [];
    const held = holdStarted();
    const stop = async (name: string) => void stopped.push(name);
    await held.hold(Promise.resolve("server"), stop);
    const agent = await held.hold(Promise.resolve("agent"), stop);
    await held.hold(Promise.resolve("work"), stop);
    await agent.stop();
    await held.close();
    await held.close();
    expect(stopped).toEqual(["agent", "work", "server"]);
  });

  it("is stopped also when it was still starting, or starts after the close", async () => {
    const stopped: string[] = [];
    const held = holdStarted();
    const stop = async (name: string) => void stopped.push(name);
    const slow = later<string>();
    const holding = held.hold(slow.promise, stop);
    const closing = held.close();
    const after = held.hold(Promise.resolve("too late"), stop);
    slow.resolve("slow");
    await closing;
    await expect(holding).rejects.toThrow("stopped while it started");
    await expect(after).rejects.toThrow("stopped while it started");
    expect(stopped.sort()).toEqual(["slow", "too late"]);
  });

  it("a start that fails needs no stop", async () => {
    const held = holdStarted();
    const failing = held.hold(Promise.reject(new Error("no port")), async () => {
      throw new Error("stopped what never was");
    });
    await expect(failing).rejects.toThrow("no port");
    await held.close();
  });
});
