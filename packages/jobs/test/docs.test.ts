import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { inspect } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { transitionJob } from "../src/index.ts";
import { after, assigned, atlas, failed, stopped } from "./atlas.ts";
import { laws } from "./laws.ts";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const readme = read("README.md");
const examples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code ?? "");

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the README", () => {
  it.each(examples)("example %# prints what its comments say", async (code) => {
    const printed: string[] = [];
    vi.spyOn(console, "log").mockImplementation((...values: unknown[]) => {
      printed.push(values.map((v) => (typeof v === "string" ? v : inspect(v))).join(" "));
    });
    const folder = new URL("../.results/", import.meta.url);
    mkdirSync(folder, { recursive: true });
    const file = new URL(`readme-${examples.indexOf(code)}.ts`, folder);
    writeFileSync(file, code);
    await import(/* @vite-ignore */ file.href);
    const expected = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, text]) => text);
    expect(expected.length).toBeGreaterThan(0);
    expect(printed).toEqual(expected);
  });

  it("links each guarantee to a property that exists, by its very name", () => {
    const named = [...readme.matchAll(/\[([^\]]+)\]\(test\/laws\.ts\)/g)].map(([, text]) => text);
    expect(named.length).toBeGreaterThanOrEqual(10);
    expect(Object.keys(laws)).toEqual(expect.arrayContaining(named));
  });

  it("[C31-53] promises attempts at least once, and nowhere effects exactly once (J12)", () => {
    const pages = ["job-states", "errors-jobs", "benchmarks-jobs"].map((name) =>
      read(`../../docs/reference/${name}.md`),
    );
    expect(readme).toContain("Attempts are at least once: the work may be done twice.");
    expect(readme).toContain("It does not make effects outside happen once");
    for (const page of [readme, ...pages]) expect(page).not.toMatch(/exactly[ -]once|only once/i);
  });

  it("[C31-142] says how many attempts a limit allows, and that it delays nothing (J4, J6)", () => {
    const rows = [...readme.matchAll(/^\| (\d+) \| (\d+) \|$/gm)].map(([, limit, attempts]) => [
      Number(limit),
      Number(attempts),
    ]);
    expect(rows).toEqual([
      [0, 1],
      [1, 2],
    ]);
    for (const [limit = 0, attempts = 0] of rows) {
      let state = atlas({ backoffLimit: limit });
      for (let i = 1; i <= attempts; i += 1) state = after(state, stopped("09:05", 1, `t${i}`));
      expect(state.job).toMatchObject({ status: "failed", attempts });
      expect(state.tasks.some((task) => "notBefore" in task)).toBe(false);
    }
    expect(readme).toContain("a retry computes no instant and may start at once");
    const retried = after(atlas({ backoffLimit: 1 }), stopped("09:05", 1));
    expect(transitionJob(retried, assigned("09:05", "t2")).outcome).toBe("advanced");
  });

  it("[C31-143] says why the two defaults of a missing exit code differ (J3)", () => {
    expect(readme).toContain(
      "A `stopped` report without an exit code reads as 0, and a `failed` one without an exit code as 1.",
    );
    expect(readme).toContain("`stopped` claims an ordinary end");
    expect(readme).toContain(
      "`failed` claims a fault, so its absent code must not be one that reads as success",
    );
    expect(after(atlas(), failed("09:05")).job).toMatchObject({
      status: "failed",
      lastExitCode: 1,
    });
  });
});

describe("docs/reference/errors-jobs.md", () => {
  const page = read("../../docs/reference/errors-jobs.md");
  const codes = [...page.matchAll(/^\| `([a-z.-]+)` \|/gm)].map(([, code]) => code);

  it("has a row for each code that the sources know, and for no other", () => {
    const used = new Set<string>();
    for (const file of readdirSync(new URL("../src/", import.meta.url))) {
      const found = read(`src/${file}`).matchAll(
        /"((?:shape|limit|name|job|version|state)\.[a-z-]+)"/g,
      );
      for (const [, code] of found) used.add(code ?? "");
    }
    expect([...codes].sort()).toEqual([...used].sort());
  });

  it("quotes texts that the tests pin", () => {
    const pinned = read("test/errors.test.ts").replaceAll('\\"', '"');
    for (const [, example] of page.matchAll(/^\| `[a-z.-]+` \| [^|]+ \| [^|]+ \| `([^|]+)` \|/gm)) {
      expect(pinned).toContain(example);
    }
  });
});
