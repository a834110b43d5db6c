import type { Diagnostic as CronDiagnostic, Position as CronPosition } from "@mesh/cron";
import type {
  ActiveRun as JobsActiveRun,
  Diagnostic as JobsDiagnostic,
  Position as JobsPosition,
} from "@mesh/jobs";
import { describe, expectTypeOf, it } from "vitest";
import type { ActiveRun, Diagnostic } from "../src/index.ts";

// `jobs` imports nothing, so it declares these itself; `tsc` fails here as soon as one drifts.
describe("what `@mesh/jobs` declares again", () => {
  it("`ActiveRun` is the one that `decideSchedule` takes (D3)", () => {
    expectTypeOf<JobsActiveRun>().toEqualTypeOf<ActiveRun>();
  });

  it("`Diagnostic` and `Position` are those of every package", () => {
    expectTypeOf<JobsDiagnostic>().toEqualTypeOf<CronDiagnostic>();
    expectTypeOf<JobsDiagnostic>().toEqualTypeOf<Diagnostic>();
    expectTypeOf<JobsPosition>().toEqualTypeOf<CronPosition>();
  });
});
