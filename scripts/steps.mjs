// One line a step, with its time; what a failed one printed follows in full.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { capture, withoutNoise } from "./child-process.mjs";

export const root = join(fileURLToPath(import.meta.url), "../..");
export const tool = (name) => join(root, "node_modules", ".bin", name);

/**
 * Runs one step and prints its line, with what `note` says once it has ended.
 * Answers whether it passed, and its output.
 */
export async function step(name, command, args, { note = () => "", ...options } = {}) {
  const onAlive = (seconds) => console.log(`  … ${name}, ${seconds} s`);
  const result = await capture(command, args, { cwd: root, onAlive, ...options });
  const passed = result.code === 0;
  tell(passed, name, result.seconds, note());
  if (!passed) console.log(`\n${indent(withoutNoise(result.output).trimEnd())}\n`);
  return { ...result, passed };
}

function tell(passed, name, seconds, note) {
  const time = `${seconds.toFixed(1)} s`.padStart(8);
  console.log(`  ${passed ? "ok  " : "FAIL"} ${name.padEnd(34)}${time}${note && `   ${note}`}`);
}

function indent(text) {
  return text.replace(/^/gm, "    ");
}
