import { type ParseResult, unwrap } from "./diagnostic.ts";
import { describe, type Fault, quote, quotedHelp, toDiagnostic } from "./finding.ts";

/** An amount of processor time in thousandths of a core, with its canonical text. */
export interface CpuQuantity {
  readonly millicores: number;
  readonly canonical: string;
}

/** An amount of memory in bytes, with its canonical text. */
export interface MemoryQuantity {
  readonly bytes: number;
  readonly canonical: string;
}

export type QuantityKind = "cpu" | "memory";

/** Whole units of the kind (millicores for cpu, bytes for memory), and how it was written. */
export interface Amount {
  readonly units: number;
  readonly exact: ExactQuantity;
}

/** Either what was read or the one fault that stopped the reading. */
export type Reading<T> =
  | { readonly value: T; readonly fault?: never }
  | { readonly value?: never; readonly fault: Fault };

const MAX_TEXT = 64;
const MAX_MILLICORES = 1_000_000n;
const SMALLEST_CONTAINER_BYTES = 6 * 1024 * 1024;
const NANO_PER_UNIT = { cpu: 1_000_000n, memory: 1_000_000_000n } as const;
const LIMIT = { cpu: MAX_MILLICORES, memory: BigInt(Number.MAX_SAFE_INTEGER) } as const;

const DECIMAL = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const BINARY = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const SUFFIXES = [...DECIMAL.filter((suffix) => suffix !== ""), ...BINARY];

const EXAMPLE = {
  cpu: 'cpu is written in cores or thousandths, such as "500m" or "2"',
  memory: 'memory is written in bytes with a suffix, such as "128Mi" or "1Gi"',
} as const;

/**
 * Reads a quantity of the Kubernetes grammar and answers its exact value (R5).
 * cpu: above 0 and at most 1000 cores, in whole millicores, no binary suffix.
 * memory: above 0 and at most 2^53 - 1, in whole bytes.
 * Throws a `DeclarationError` with one of the `quantity.*` codes.
 */
export function parseQuantity(text: string, kind: "cpu"): CpuQuantity;
export function parseQuantity(text: string, kind: "memory"): MemoryQuantity;
export function parseQuantity(text: string, kind: QuantityKind): CpuQuantity | MemoryQuantity {
  return unwrap(safeParse(text, kind));
}

/** As `parseQuantity`, but answers the problem instead of throwing it; memory under 6Mi warns. */
export function safeParseQuantity(text: string, kind: "cpu"): ParseResult<CpuQuantity>;
export function safeParseQuantity(text: string, kind: "memory"): ParseResult<MemoryQuantity>;
export function safeParseQuantity(
  text: string,
  kind: QuantityKind,
): ParseResult<CpuQuantity | MemoryQuantity> {
  return safeParse(text, kind);
}

function safeParse(text: string, kind: QuantityKind): ParseResult<CpuQuantity | MemoryQuantity> {
  const { value, fault } = readQuantity(text, kind);
  if (fault !== undefined) {
    return { ok: false, diagnostics: [toDiagnostic({ ...fault, path: [] })] };
  }
  const { units, exact } = value;
  const canonical = canonicalText(exact);
  const warning = kind === "memory" ? memoryWarning(units) : undefined;
  return {
    ok: true,
    value: kind === "cpu" ? { millicores: units, canonical } : { bytes: units, canonical },
    warnings: warning === undefined ? [] : [toDiagnostic({ ...warning, path: [] })],
  };
}

/** Engines refuse a container with less than 6Mi. */
export function memoryWarning(bytes: number): Fault | undefined {
  if (bytes >= SMALLEST_CONTAINER_BYTES) return undefined;
  return {
    code: "quantity.memory-below-6Mi",
    severity: "warning",
    message: "a container with less than 6Mi of memory is refused by most engines",
    found: `${bytes} bytes`,
    help: "ask for 6Mi or more",
  };
}

/** The shortest exact text of an amount: equal amounts have equal texts. */
export function formatAmount(units: number, kind: QuantityKind): string {
  if (kind === "cpu") return units % 1000 === 0 ? String(units / 1000) : `${units}m`;
  let value = units;
  let power = 0;
  while (power < BINARY.length && value % 1024 === 0) {
    value /= 1024;
    power++;
  }
  return `${value}${power === 0 ? "" : BINARY[power - 1]}`;
}

export function readQuantity(text: unknown, kind: QuantityKind): Reading<Amount> {
  if (typeof text !== "string") return { fault: quantityTypeFault(text, kind) };
  const { value: exact, fault } = readExact(text, kind);
  if (fault !== undefined) return { fault };
  const { nano, family } = exact;
  if (nano < 0n) {
    return refuse(text, "quantity.negative", `${kind} cannot be negative`, "use a value above 0");
  }
  if (kind === "cpu" && family === "binary") {
    const help = `${EXAMPLE.cpu}; suffixes with "i" are for memory`;
    return refuse(text, "quantity.unit", "cpu has no binary suffix", help);
  }
  if (nano === 0n) {
    const help = "use a value above 0, or leave the field out for the default";
    return refuse(text, "quantity.zero", `${kind} cannot be 0`, help);
  }
  const unit = NANO_PER_UNIT[kind];
  if (nano % unit !== 0n) {
    const whole = kind === "cpu" ? "whole thousandths of a core" : "whole bytes";
    const hint = kind === "memory" && text.endsWith("m") ? '; "m" is a thousandth of a byte' : "";
    return refuse(text, "quantity.precision", `${kind} counts ${whole}${hint}`, EXAMPLE[kind]);
  }
  const units = nano / unit;
  if (units > LIMIT[kind]) {
    const most = kind === "cpu" ? "1000 cores" : "9007199254740991 bytes";
    return refuse(text, "quantity.too-large", `${kind} is at most ${most}`, EXAMPLE[kind]);
  }
  return { value: { units: Number(units), exact } };
}

function refuse(text: string, code: string, message: string, help: string): { fault: Fault } {
  return { fault: { code, message, found: quote(text), help } };
}

/** A quantity that is no string, which unquoted numbers in YAML are not. */
export function quantityTypeFault(value: unknown, kind: QuantityKind): Fault {
  return {
    code: "quantity.type",
    message: `${kind} must be a string, because YAML numbers lose digits and units`,
    found: describe(value),
    help: quotedHelp(value) ?? EXAMPLE[kind],
  };
}

/** A quantity before the rules of its kind: its value in billionths, and how it was written. */
export interface ExactQuantity {
  readonly nano: bigint;
  readonly family: "decimal" | "binary" | "exponent";
}

/** Reads the grammar alone; digits beyond a billionth round away from zero. */
export function readExact(text: string, kind: QuantityKind): Reading<ExactQuantity> {
  const help = EXAMPLE[kind];
  if (text === "") return refuse(text, "quantity.empty", `${kind} is empty`, help);
  if (/^\s|\s$/.test(text)) {
    return refuse(text, "quantity.whitespace", `${kind} has spaces around it`, "remove the spaces");
  }
  const match = text.length > MAX_TEXT ? null : SHAPE.exec(text);
  if (match === null) {
    const rule = "a number and, directly after it, an optional suffix";
    return refuse(text, "quantity.syntax", `${kind} is not a quantity: ${rule}`, help);
  }
  const [, sign, digits = "", suffix = ""] = match;
  if (suffix === "" || SUFFIXES.includes(suffix)) {
    const family = suffix.endsWith("i") ? "binary" : "decimal";
    return { value: exactOf(sign === "-", digits, scaleOf(suffix), family) };
  }
  const exponent = /^[eE]([+-]?\d+)$/.exec(suffix)?.[1];
  if (exponent !== undefined) {
    const power = Math.max(-400, Math.min(400, Number(exponent)));
    return { value: exactOf(sign === "-", digits, { base: 10n, power }, "exponent") };
  }
  return {
    fault: {
      code: "quantity.suffix",
      message: `${kind} has an unknown suffix ${quote(suffix)}`,
      found: quote(text),
      allowed: SUFFIXES,
      help: suffixHelp(suffix, kind),
    },
  };
}

const SHAPE = /^([+-]?)(\d+\.?\d*|\.\d+)([A-Za-z]*|[eE][+-]?\d+)$/;

function suffixHelp(suffix: string, kind: QuantityKind): string {
  const nearest = SUFFIXES.find((known) => known.toLowerCase() === suffix.toLowerCase());
  if (nearest !== undefined) return `write ${nearest}`;
  const withoutB = suffix.replace(/b$/i, "");
  const letter = withoutB.slice(0, 1).toUpperCase();
  if (kind === "memory" && "KMGTPE".includes(letter) && letter !== "") {
    return `write ${letter}i (1024-based)${letter === "K" ? " or k" : ` or ${letter}`}`;
  }
  return EXAMPLE[kind];
}

interface Scale {
  readonly base: bigint;
  readonly power: number;
}

function scaleOf(suffix: string): Scale {
  const binary = BINARY.indexOf(suffix);
  if (binary >= 0) return { base: 1024n, power: binary + 1 };
  return { base: 10n, power: (DECIMAL.indexOf(suffix) - 3) * 3 };
}

function exactOf(
  negative: boolean,
  digits: string,
  scale: Scale,
  family: ExactQuantity["family"],
): ExactQuantity {
  const [whole = "", fraction = ""] = digits.split(".");
  let numerator = BigInt(whole + fraction) * 1_000_000_000n;
  let denominator = 10n ** BigInt(fraction.length);
  const factor = scale.base ** BigInt(Math.abs(scale.power));
  if (scale.power >= 0) numerator *= factor;
  else denominator *= factor;
  const magnitude = (numerator + denominator - 1n) / denominator;
  const nano = negative ? -magnitude : magnitude;
  return { nano, family };
}

/** The text that Kubernetes' own canonical form has. */
export function canonicalText({ nano, family }: ExactQuantity): string {
  if (nano === 0n) return "0";
  const sign = nano < 0n ? "-" : "";
  const magnitude = nano < 0n ? -nano : nano;
  const bytes = magnitude / 1_000_000_000n;
  if (family === "binary" && magnitude % 1_000_000_000n === 0n && bytes >= 1024n) {
    return sign + scaled(bytes, 1024n, BINARY.length, (power) => BINARY[power - 1] ?? "");
  }
  if (family === "exponent") {
    return sign + scaled(magnitude, 1000n, 400, (step) => (step === 3 ? "" : `e${step * 3 - 9}`));
  }
  return sign + scaled(magnitude, 1000n, DECIMAL.length - 1, (step) => DECIMAL[step] ?? "");
}

/** Divides by `base` while nothing is lost, at most `most` times, and names the power reached. */
function scaled(
  value: bigint,
  base: bigint,
  most: number,
  suffix: (power: number) => string,
): string {
  let rest = value;
  let power = 0;
  while (power < most && rest % base === 0n) {
    rest /= base;
    power++;
  }
  return `${rest}${power === 0 && base === 1024n ? "" : suffix(power)}`;
}
