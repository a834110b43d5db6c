import type { Options } from "tsup";

/** A published package: ESM, CJS and declarations for each entry, everything else external. */
export function packageBuild(entry: string[]): Options {
  return {
    entry,
    format: ["esm", "cjs"],
    dts: { compilerOptions: { paths: {}, ignoreDeprecations: "5.0" } },
    clean: true,
    target: "es2022",
    platform: "neutral",
    splitting: true,
    tsconfig: "tsconfig.src.json",
  };
}

/** An app: ESM for Node.js, its dependencies resolved at run time. */
export function appBuild(entry: string[]): Options {
  return {
    entry,
    format: ["esm"],
    dts: false,
    clean: true,
    target: "node20",
    platform: "node",
    splitting: true,
    sourcemap: true,
  };
}
