import { number, oneOf, type Shape } from "./shape.ts";

/** The range of `Date`, in milliseconds on either side of 1970. */
export const MAX_INSTANT = 8_640_000_000_000_000;

/** 32 bits, signed or not: what any system reports. */
export const MIN_CODE = -0x8000_0000;
export const MAX_CODE = 0xffff_ffff;

export const failureReasons: readonly string[] = [
  "nodeLost",
  "outOfMemory",
  "neverStarted",
  "deadlineExceeded",
  "engineError",
  "unknown",
];

export const instant: Shape = /* @__PURE__ */ number(-MAX_INSTANT, MAX_INSTANT);
export const exitCode: Shape = /* @__PURE__ */ number(MIN_CODE, MAX_CODE);
export const failureReason: Shape = /* @__PURE__ */ oneOf(failureReasons);
