// Sizes of browser bundles of one typical use of each library, minified and gzipped.
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));

const USES = {
  "@mesh/cron": 'export { parseCron, nextOccurrence } from "../dist/index.js";',
  "@mesh/cron, everything": 'export * from "../dist/index.js";',
  croner: 'export { Cron } from "croner";',
  "cron-parser": 'export { CronExpressionParser } from "cron-parser";',
  "cron-schedule": 'export { parseCronExpression } from "cron-schedule";',
  cronosjs: 'export { CronosExpression } from "cronosjs";',
  "node-cron": 'export { schedule } from "node-cron";',
  effect:
    'import { Cron } from "effect"; export const next = (text, zone, at) => Cron.next(Cron.parseUnsafe(text, zone), at);',
};

/** Name, bytes minified, bytes gzipped and whether the bundle needs Node.js. */
export async function bundleSizes() {
  const sizes = [];
  for (const [name, contents] of Object.entries(USES)) {
    const options = {
      stdin: { contents, resolveDir: here },
      bundle: true,
      minify: true,
      format: "esm",
      write: false,
      logLevel: "silent",
    };
    let nodeOnly = false;
    const result = await build({ ...options, platform: "browser" }).catch(() => {
      nodeOnly = true;
      return build({ ...options, platform: "node" });
    });
    const bytes = result.outputFiles[0].contents;
    sizes.push({ name, min: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, nodeOnly });
  }
  return sizes;
}
