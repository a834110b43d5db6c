import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Ownership } from "../files/module-files.ts";

export const SECRETS_TARGET = "/run/secrets";

/** The secrets of running tasks as files that only their own account can read (S6). */
export interface Secrets {
  /** Writes a task's secrets anew and returns the folder. */
  put(taskId: string, secrets: readonly Secret[], owner: Ownership): string;
  remove(taskId: string): void;
  /** Removes those of every other task: an agent that was killed may have left some behind. */
  retain(taskIds: readonly string[]): void;
}

export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** A name becomes a file's name, so nothing in it may lead elsewhere. */
export function isSecretName(name: string): boolean {
  return /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,252}$/.test(name);
}

export function secretFiles(folder: string): Secrets {
  const nameOf = (taskId: string): string =>
    createHash("sha256").update(taskId).digest("hex").slice(0, 24);
  const folderOf = (taskId: string): string => join(folder, nameOf(taskId));
  const isRoot = process.getuid?.() === 0;
  return {
    put: (taskId, secrets, owner) => {
      const place = folderOf(taskId);
      rmSync(place, { recursive: true, force: true });
      // Others pass through to the folders of their own, and list nothing.
      mkdirSync(folder, { recursive: true, mode: 0o711 });
      mkdirSync(place, { mode: 0o700 });
      for (const { name, value } of secrets) {
        const file = join(place, name);
        writeFileSync(file, value, { mode: 0o400, flag: "wx" });
        if (isRoot) chownSync(file, owner.uid, owner.gid);
      }
      if (isRoot) chownSync(place, owner.uid, owner.gid);
      chmodSync(place, isRoot ? 0o500 : 0o700);
      return place;
    },
    retain: (taskIds) => {
      const kept = new Set(taskIds.map(nameOf));
      for (const name of existsSync(folder) ? readdirSync(folder) : []) {
        if (!kept.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
      }
    },
    remove: (taskId) => rmSync(folderOf(taskId), { recursive: true, force: true }),
  };
}
