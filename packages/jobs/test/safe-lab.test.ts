import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { after, assigned, atlas, running, stopped } from "./atlas.ts";

const sources = new URL("../src/", import.meta.url);

describe("the safe lab", () => {
  it("[C31-139] these tests run with the network cut and no process of their own (J11)", () => {
    expect(() => connect(80, "127.0.0.1")).toThrow("the network is cut");
    expect(() => createServer().listen(0)).toThrow("the network is cut");
    expect(() => spawn("true")).toThrow("the network is cut");
    const state = after(atlas(), assigned("09:01"), running("09:02"), stopped("09:05", 0));
    expect(state.job.status).toBe("succeeded");
  });

  it("[C31-139] the sources import nothing but one another (J11)", () => {
    for (const file of readdirSync(sources)) {
      const text = readFileSync(new URL(file, sources), "utf8");
      for (const [, source] of text.matchAll(/from "([^"]+)"/g)) {
        if (file === "testing.ts" && source === "fast-check") continue;
        expect(source).toMatch(/^\.\/[a-z-]+\.ts$/);
      }
    }
  });
});
