import fc from "fast-check";

/** One seed for all property tests, so that names and failures are the same in every run. */
const seed = Number(process.env.FC_SEED ?? 20260906);
const numRuns = process.env.FC_RUNS === undefined ? {} : { numRuns: Number(process.env.FC_RUNS) };

fc.configureGlobal({ seed, ...numRuns });
