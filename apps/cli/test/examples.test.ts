import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cronJobText, exampleImage, jobText, moduleText, nextJobName } from "../src/dev/example.ts";
import { mesh } from "./mesh.ts";

const folder = join(import.meta.dirname, "../../../docs/examples");
const text = (name: string): string => readFileSync(join(folder, name), "utf8");

describe("docs/examples", () => {
  it.each(readdirSync(folder).filter((name) => name.endsWith(".yaml")))(
    "%s has no fault and no warning",
    async (name) => {
      const ran = await mesh(["validate", "--strict", join(folder, name)]);
      expect(ran).toMatchObject({ exitCode: 0, err: "" });
    },
  );

  it("are what mesh dev applies, word for word", () => {
    expect(moduleText(exampleImage)).toBe(text("module.yaml"));
    expect(cronJobText(exampleImage)).toBe(text("cronjob.yaml"));
    expect(jobText(exampleImage, "hello")).toBe(text("job.yaml"));
  });
});

describe("the name of the next Job of mesh dev", () => {
  it("counts on from the highest that is there", () => {
    expect(nextJobName([])).toBe("hello-1");
    expect(nextJobName(["hello-2", "hello-10", "hello", "other-99", "hello-x"])).toBe("hello-11");
  });
});
