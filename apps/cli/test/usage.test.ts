import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import packageFile from "../package.json" with { type: "json" };
import { nearest } from "../src/near.ts";
import { mesh } from "./mesh.ts";

/** Nothing listens on the discard port of the loopback address. */
const nobody = ["--server", "http://127.0.0.1:9"];

describe("mesh: usage", () => {
  it("prints its commands when called without one", async () => {
    const ran = await mesh([]);
    expect(ran.exitCode).toBe(0);
    for (const word of ["dev", "cron", "validate", "apply", "get", "describe", "why", "version"]) {
      expect(ran.out).toMatch(new RegExp(`^  ${word}`, "m"));
    }
  });

  it("has help and a version with exit code 0", async () => {
    expect((await mesh(["--help"])).exitCode).toBe(0);
    expect((await mesh(["cron", "next", "--help"])).out).toContain("Examples:");
    expect(await mesh(["--version"])).toMatchObject({ exitCode: 0, out: packageFile.version });
  });

  it("names the zone data in use, since an answer about time rests on it (C7a)", async () => {
    const { out } = await mesh(["version"]);
    expect(out).toContain("zone data  engine");
    expect(out).toContain("your zone  Europe/Belgrade");
  });

  it.each([
    [["gett", "jobs"], "unknown command 'gett'"],
    [["get"], "missing required argument 'what'"],
    [["get", "jobs", "--colour"], "unknown option '--colour'"],
    [["apply"], "help: mesh apply -f FILE"],
    [["create", "a.yaml", "b.yaml"], "help: mesh create -f a.yaml b.yaml"],
    [["dev", "--port", "65536"], "help: for example --port 7374"],
    [["get", "jobs", "-o", "yaml"], "Allowed choices are text, json."],
    [["delete"], "what is to be deleted?"],
    [["get", "crnjobs"], "did you mean cronjobs?"],
    [["get", "jobs", "--server", "localhost"], '"localhost" is no address of a server'],
    [["get", "jobs", "--namespace", ""], '"" is no name of a namespace'],
    [["get", "jobs", "--namespace", "../x"], '"../x" is no name of a namespace'],
    [["get", "jobs", "--token", "top\nsecret"], "the token must be printable ASCII"],
    [["get", "jobs", "--token", "top\u2713secret"], "the token must be printable ASCII"],
  ])("mesh %j: bad usage has exit code 2 and says what is wrong", async (argv, text) => {
    const ran = await mesh(argv);
    expect(ran.exitCode).toBe(2);
    expect(ran.err).toContain(text);
    expect(ran.out).toBe("");
  });

  it("a server that cannot be reached: one clear line, one that helps, exit code 1", async () => {
    const ran = await mesh(["get", "jobs", ...nobody]);
    expect(ran.exitCode).toBe(1);
    expect(ran.out).toBe("");
    expect(ran.err.split("\n")).toEqual([
      expect.stringMatching(/^error: no server answers at http:\/\/127\.0\.0\.1:9: /),
      "help: start one with `mesh dev` (`npm start` in a clone), " +
        "or name another with --server URL or MESH_SERVER",
    ]);
  });

  it("takes the server from MESH_SERVER, and what is typed wins", async () => {
    const env = { MESH_SERVER: "http://127.0.0.1:9" };
    expect((await mesh(["get", "nodes"], { env })).err).toContain("http://127.0.0.1:9:");
    const typed = await mesh(["get", "nodes", "--server", "http://127.0.0.1:19"], { env });
    expect(typed.err).toContain("http://127.0.0.1:19:");
  });

  it("tells a failure as data with -o json", async () => {
    const ran = await mesh(["get", "jobs", "-o", "json", ...nobody]);
    expect(JSON.parse(ran.err).error).toMatchObject({ code: "link" });
  });
});

describe("nearest", () => {
  it.each([
    ["jbos", "jobs"],
    ["cronjob", "cronjobs"],
    ["nod", "nodes"],
    ["xyz", undefined],
    ["", undefined],
  ])("%j is near %j", (word, expected) => {
    expect(nearest(word, ["jobs", "cronjobs", "nodes", "modules"])).toBe(expected);
  });
});

describe("docs/reference/command-line.md", () => {
  it("has a row for every command, and no other", async () => {
    const page = join(import.meta.dirname, "../../../docs/reference/command-line.md");
    const rows = [...readFileSync(page, "utf8").matchAll(/^\| `mesh ([a-z]+)/gm)];
    const { out } = await mesh([]);
    const commands = out.slice(out.indexOf("Commands:")).matchAll(/^ {2}([a-z]+)/gm);
    const known = [...commands].map(([, name]) => name).filter((name) => name !== "help");
    expect([...new Set(rows.map(([, name]) => name))].sort()).toEqual(known.sort());
  });
});
