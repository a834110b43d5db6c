import { describe, expect, it } from "vitest";
import {
  type AppliedState,
  emptyAppliedState,
  type HostDeclaration,
  isCurrent,
  planApply,
  recordStep,
  renderDeclaration,
} from "../src/index.ts";
import { container, DIRECTORY, parsedModule } from "./manifests.ts";

const AT = 1_791_882_000_000;
const ONCE = container({ name: "seed", "run-once": true });
const SERVICE = container({ name: "web" });
const SCHEDULED = container({ schedule: "0 3 * * *" });

function declare(...resources: readonly object[]): HostDeclaration {
  return renderDeclaration([parsedModule(...resources)], { node: "ams-1", generation: 1 });
}

function applyAll(declaration: HostDeclaration, applied: AppliedState): AppliedState {
  const { steps } = planApply(declaration, applied);
  return steps.reduce((state, step) => recordStep(state, step, { at: AT }), applied);
}

function actions(declaration: HostDeclaration, applied: AppliedState): readonly string[] {
  return planApply(declaration, applied).steps.map(({ action, key }) => `${action} ${key}`);
}

describe("planApply", () => {
  it("makes everything in the declared order, each step with its resource (R3)", () => {
    const declaration = declare(DIRECTORY, ONCE, SERVICE, SCHEDULED);
    const { steps } = planApply(declaration, emptyAppliedState());
    expect(steps.map(({ action, key }) => `${action} ${key}`)).toEqual([
      "create directory:/var/lib/mesh/kometa",
      "runOnce container:seed",
      "create container:web",
      "install container:kometa-sync",
    ]);
    expect(steps.map((step) => step.action !== "remove" && step.resource)).toEqual(
      declaration.modules[0]?.resources,
    );
    expect(steps.every((step) => step.action !== "remove" && step.account === "mesh-kometa")).toBe(
      true,
    );
  });

  it("keeps everything when nothing has changed", () => {
    const declaration = declare(DIRECTORY, ONCE, SERVICE, SCHEDULED);
    const applied = applyAll(declaration, emptyAppliedState());
    const plan = planApply(declaration, applied);
    expect(isCurrent(plan)).toBe(true);
    expect(plan.steps.map(({ action }) => action)).toEqual(["keep", "keep", "keep", "keep"]);
    expect(applyAll(declaration, applied)).toEqual(applied);
  });

  it("runs a run-once again only when its content has changed, or it has not succeeded (A5)", () => {
    const applied = applyAll(declare(ONCE), emptyAppliedState());
    expect(actions(declare(ONCE), applied)).toEqual(["keep container:seed"]);
    const changed = declare({ ...ONCE, environment: { A: "1" } });
    expect(actions(changed, applied)).toEqual(["runOnce container:seed"]);
    const { module, key, hash } = applied.resources[0] ?? { module: "", key: "", hash: "" };
    const unfinished: AppliedState = { ...applied, resources: [{ module, key, hash }] };
    expect(actions(declare(ONCE), unfinished)).toEqual(["runOnce container:seed"]);
  });

  it("updates what has changed and tells what was there", () => {
    const applied = applyAll(declare(DIRECTORY, SERVICE, SCHEDULED), emptyAppliedState());
    const declaration = declare(
      { ...DIRECTORY, mode: "0700" },
      { ...SERVICE, environment: { A: "1" } },
      { ...SCHEDULED, schedule: "0 4 * * *" },
    );
    const { steps } = planApply(declaration, applied);
    expect(steps.map(({ action }) => action)).toEqual(["update", "update", "install"]);
    expect(steps.map((step) => "previous" in step && step.previous)).toEqual(applied.resources);
  });

  it("removes what is gone first: containers, then files, then directories, last first", () => {
    const file = { type: "file", path: "/var/lib/mesh/kometa/a", content: "a" };
    const below = { type: "directory", path: "/var/lib/mesh/kometa/below" };
    const before = declare(DIRECTORY, below, file, SERVICE, SCHEDULED);
    const applied = applyAll(before, emptyAppliedState());
    const plan = planApply(declare(ONCE), applied);
    expect(plan.steps.map(({ action, key }) => `${action} ${key}`)).toEqual([
      "remove container:kometa-sync",
      "remove container:web",
      "remove file:/var/lib/mesh/kometa/a",
      "remove directory:/var/lib/mesh/kometa/below",
      "remove directory:/var/lib/mesh/kometa",
      "runOnce container:seed",
    ]);
    expect(plan.steps[4]).toMatchObject({ type: "directory", name: DIRECTORY.path });
  });

  it("never removes a directory's data unless asked", () => {
    const applied = applyAll(declare(DIRECTORY), emptyAppliedState());
    const gone: HostDeclaration = { v: 1, node: "ams-1", generation: 2, modules: [] };
    const removal = (removeData?: boolean) => planApply(gone, applied, { removeData }).steps[0];
    expect(removal()).toMatchObject({ action: "remove", removeData: false });
    expect(removal(true)).toMatchObject({ action: "remove", removeData: true });
  });

  it("treats a container that changes its kind as one container", () => {
    const service = container();
    const applied = applyAll(declare(service), emptyAppliedState());
    expect(actions(declare(SCHEDULED), applied)).toEqual(["install container:kometa-sync"]);
    const scheduled = applyAll(declare(SCHEDULED), applied);
    expect(scheduled.resources[0]?.installedAt).toBe(AT);
    expect(actions(declare(service), scheduled)).toEqual(["update container:kometa-sync"]);
    expect(applyAll(declare(service), scheduled)).toEqual(applied);
  });
});
