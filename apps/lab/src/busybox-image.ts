import { spawn } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type Docker from "dockerode";
import { execute, needProgram } from "./service-process.ts";

const accounts = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n";

interface RegistryLogin {
  readonly username: string;
  readonly password: string;
}

/**
 * Makes an image from Debian's static busybox and pushes it to the registry at `registry`.
 * Answers the reference by digest, as in `127.0.0.1:5000/busybox@sha256:…`.
 */
export async function pushBusybox(
  docker: Docker,
  registry: string,
  options: { name?: string; login?: RegistryLogin } = {},
): Promise<string> {
  const repository = `${registry}/${options.name ?? "busybox"}`;
  const root = await mkdtemp(join(tmpdir(), "mesh-busybox-"));
  try {
    await writeRoot(root);
    const archive = spawn(
      "tar",
      ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "-c", "."],
      {
        cwd: root,
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const tag = { repo: repository, tag: "latest", changes: 'CMD ["sh"]' };
    try {
      await finished(docker, await docker.importImage(archive.stdout, tag));
    } finally {
      archive.kill();
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  return pushByDigest(docker, repository, options.login ?? { username: "", password: "" });
}

/** Pushes the tag `latest` of a repository and answers its reference by digest. */
async function pushByDigest(
  docker: Docker,
  repository: string,
  authconfig: RegistryLogin,
): Promise<string> {
  const image = docker.getImage(`${repository}:latest`);
  const push = await image.push({ tag: "latest", authconfig });
  await finished(docker, push);
  const digests: readonly string[] = (await image.inspect()).RepoDigests ?? [];
  const digest = digests.find((reference) => reference.startsWith(`${repository}@`));
  if (digest === undefined) throw new Error(`the push of ${repository} gave no digest`);
  return digest;
}

async function writeRoot(root: string): Promise<void> {
  const busybox = await needProgram("busybox", "busybox-static");
  for (const folder of ["bin", "etc", "root", "tmp", "var", "run"]) await mkdir(join(root, folder));
  await chmod(join(root, "tmp"), 0o1777);
  await copyFile(busybox, join(root, "bin/busybox"));
  const { stdout } = await execute(busybox, ["--list"]);
  for (const applet of stdout.split("\n")) {
    if (applet !== "" && applet !== "busybox") await symlink("busybox", join(root, "bin", applet));
  }
  await writeFile(join(root, "etc/passwd"), accounts);
}

async function finished(docker: Docker, stream: NodeJS.ReadableStream): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(stream as Readable, (error, events: readonly unknown[]) => {
      const failed = events?.find((event) => hasError(event));
      if (error || failed) reject(error ?? new Error(JSON.stringify(failed)));
      else resolve();
    });
  });
}

function hasError(event: unknown): boolean {
  return typeof event === "object" && event !== null && "error" in event;
}
