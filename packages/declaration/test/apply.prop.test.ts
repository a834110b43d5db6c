import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentHash } from "../src/content-hash.ts";
import {
  type AppliedState,
  checkBound,
  emptyAppliedState,
  type HostContainer,
  type HostDeclaration,
  isCurrent,
  type PlanStep,
  planApply,
  recordStep,
  renderDeclaration,
  resourceKey,
} from "../src/index.ts";
import { appliedStates, declarations, moduleManifests, schedules } from "../src/testing.ts";
import { BOUND } from "./host-bound.ts";

const AT = 1_791_882_000_000;

const apply = (applied: AppliedState, steps: readonly PlanStep[]): AppliedState =>
  steps.reduce((state, step) => recordStep(state, step, { at: AT }), applied);

function declared(declaration: HostDeclaration): readonly string[] {
  return declaration.modules.flatMap(({ module, resources }) =>
    resources.map((resource) => `${module} ${resourceKey(resource)} ${resource.hash}`),
  );
}

const recorded = ({ resources }: AppliedState): readonly string[] =>
  resources.map(({ module, key, hash }) => `${module} ${key} ${hash}`);

describe("laws of planApply", () => {
  it("a declaration that is applied has nothing to do", () => {
    fc.assert(
      fc.property(declarations(), (declaration) => {
        const { steps } = planApply(declaration, emptyAppliedState());
        const applied = apply(emptyAppliedState(), steps);
        expect(isCurrent(planApply(declaration, applied))).toBe(true);
      }),
    );
  });

  it("from any state, taking the steps reaches what is declared, and nothing else stays", () => {
    fc.assert(
      fc.property(declarations(), appliedStates(), (declaration, before) => {
        const after = apply(before, planApply(declaration, before).steps);
        expect([...recorded(after)].sort()).toEqual([...declared(declaration)].sort());
        expect(isCurrent(planApply(declaration, after))).toBe(true);
      }),
    );
  });

  it("from one declaration to another and back, what is in both and equal is kept", () => {
    fc.assert(
      fc.property(declarations(), declarations(), (one, other) => {
        const applied = apply(emptyAppliedState(), planApply(one, emptyAppliedState()).steps);
        const { steps } = planApply(other, applied);
        const kept = steps
          .filter(({ action }) => action === "keep")
          .map(({ module, key }) => `${module} ${key}`);
        const both = new Set(declared(one));
        const expected = declared(other).filter((id) => both.has(id));
        expect(kept).toEqual(expected.map((id) => id.split(" ").slice(0, 2).join(" ")));
      }),
    );
  });

  it("stopping after any step and planning again ends in the same state", () => {
    fc.assert(
      fc.property(declarations(), appliedStates(), fc.nat(), (declaration, before, stop) => {
        const { steps } = planApply(declaration, before);
        const half = apply(before, steps.slice(0, steps.length === 0 ? 0 : stop % steps.length));
        const resumed = apply(half, planApply(declaration, half).steps);
        const whole = apply(before, steps);
        const order = (state: AppliedState) =>
          [...state.resources].sort((a, b) => (a.module + a.key < b.module + b.key ? -1 : 1));
        expect(order(resumed)).toEqual(order(whole));
      }),
    );
  });

  it("declared steps come in the declared order, after all removals; data is never removed", () => {
    fc.assert(
      fc.property(declarations(), appliedStates(), (declaration, before) => {
        const { steps } = planApply(declaration, before);
        const removals = steps.filter((step) => step.action === "remove");
        expect(steps.slice(0, removals.length)).toEqual(removals);
        expect(removals.every(({ removeData }) => !removeData)).toBe(true);
        const rest = steps.slice(removals.length);
        expect(
          rest.map(
            (step) => "resource" in step && `${step.module} ${step.key} ${step.resource.hash}`,
          ),
        ).toEqual(declared(declaration));
      }),
    );
  });

  it("plans, declarations and states are plain JSON", () => {
    fc.assert(
      fc.property(declarations(), appliedStates(), (declaration, before) => {
        const plan = planApply(declaration, before);
        for (const data of [declaration, before, plan]) {
          expect(JSON.parse(JSON.stringify(data))).toEqual(data);
          expect(structuredClone(data)).toEqual(data);
        }
        const copied = planApply(structuredClone(declaration), structuredClone(before));
        expect(copied).toEqual(plan);
      }),
    );
  });
});

describe("laws of checkBound", () => {
  it("whatever the renderer makes of a valid module is allowed (R3, R7)", () => {
    fc.assert(
      fc.property(fc.array(moduleManifests(), { maxLength: 1 }), (modules) => {
        const declaration = renderDeclaration(modules, { node: "ams-1", generation: 1 });
        const bound = { ...BOUND, registries: undefined, maximum: WIDE };
        expect(checkBound(JSON.parse(JSON.stringify(declaration)), bound)).toEqual([]);
      }),
    );
  });

  it("[A53-49] a schedule neither gains nor loses a container anything (R2, R7)", () => {
    const powers = fc.constantFrom<object>(
      {},
      { privileged: true },
      { account: "mesh-vault" },
      { image: "ghcr.io/acme/kometa:latest" },
      { volumes: [{ source: "/etc", target: "/c", readOnly: false }] },
      { environment: { "A B": "x" } },
      { zzz: 1 },
    );
    fc.assert(
      fc.property(
        moduleManifests(fc.constant("kometa")),
        powers,
        schedules(),
        (manifest, power, schedule) => {
          const rendered = renderDeclaration([manifest], { node: "ams-1", generation: 1 });
          const codes = (scheduled: boolean) => {
            const modules = rendered.modules.map((module) => ({
              ...module,
              resources: module.resources.map((resource) =>
                resource.type === "container"
                  ? rehashed({
                      ...unscheduled(resource),
                      ...power,
                      ...(scheduled ? { schedule } : {}),
                    })
                  : resource,
              ),
            }));
            const bound = { ...BOUND, registries: undefined, maximum: WIDE };
            return checkBound({ ...rendered, modules }, bound).map(
              ({ code, pointer }) => `${code} ${pointer}`,
            );
          };
          expect(codes(true)).toEqual(codes(false));
        },
      ),
    );
  });
});

const WIDE = { ...BOUND.maximum, memory: 2 ** 53, cpu: 1e6, fileBytes: 1e6 };

function unscheduled({ schedule: _, hash: __, ...rest }: HostContainer): object {
  return { ...rest, "run-once": false };
}

function rehashed(content: object): object {
  return { ...content, hash: contentHash(content) };
}
