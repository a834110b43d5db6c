// Runs the smoke check as a bundle in a browser without a window:
//   node scripts/browser.mjs [path of a Chromium]
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const entry = fileURLToPath(new URL("smoke.mjs", import.meta.url));
const { outputFiles } = await build({
  entryPoints: [entry],
  bundle: true,
  minify: true,
  platform: "browser",
  format: "iife",
  write: false,
});
const folder = mkdtempSync(join(tmpdir(), "mesh-cron-"));
const page = join(folder, "page.html");
writeFileSync(
  page,
  `<!doctype html><meta charset="utf-8"><pre></pre><script>
const say = (text) => { document.querySelector("pre").textContent += text; };
console.log = say;
addEventListener("error", (event) => say("failed: " + event.message));
</script><script>${outputFiles[0].text.replaceAll("</script", "<\\/script")}</script>`,
);
const options = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${folder}`];
const text = execFileSync(process.argv[2] ?? "chromium", [...options, "--dump-dom", page], {
  encoding: "utf8",
  stdio: ["ignore", "pipe", "ignore"],
});
rmSync(folder, { recursive: true, force: true });
const said = /<pre>(.*?)<\/pre>/s.exec(text)?.[1] ?? "";
console.log(said);
if (!said.endsWith("all well")) process.exitCode = 1;
