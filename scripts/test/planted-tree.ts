import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export const root = join(fileURLToPath(import.meta.url), "../../..");
export const tool = (name: string): string => join(root, "node_modules/.bin", name);

/** A checkout in a temporary folder that holds just these files, removed after the test. */
export function plant(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "mesh-planted-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** As `plant`, with the root's tool configuration and installed tools beside the files. */
export function plantWithTools(files: Readonly<Record<string, string>>): string {
  const folder = plant(files);
  const configuration = ["tsconfig.base.json", "tsconfig.package.json", ".dependency-cruiser.cjs"];
  for (const name of configuration) copyFileSync(join(root, name), join(folder, name));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}
