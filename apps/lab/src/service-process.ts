import { type ChildProcess, execFile, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { access, constants } from "node:fs/promises";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

export const execute = promisify(execFile);

/** Something that was started; `stop` ends it and removes what it left, once or again. */
export interface Stoppable {
  readonly stop: () => Promise<void>;
}

/** A service program that runs until it is told to stop, with its output in a file. */
export interface ServiceProcess extends Stoppable {
  readonly pid: number;
  readonly exited: () => boolean;
  readonly log: () => string;
  /** Ends it at once, as a crash would. */
  readonly kill: () => Promise<void>;
}

export interface ServiceCommand {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly logFile: string;
  readonly stopSignal?: NodeJS.Signals | undefined;
  /** Another user than this process's; only root can ask for one. */
  readonly user?: string | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly graceSeconds?: number | undefined;
}

/** Where `program` is found, also in the folders that only root has on its path. */
export async function findProgram(
  program: string,
  folders: readonly string[] = [],
): Promise<string | undefined> {
  const path = (process.env.PATH ?? "").split(delimiter);
  for (const folder of [...folders, ...path, "/usr/sbin", "/sbin"]) {
    const candidate = join(folder, program);
    const found = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return candidate;
  }
  return undefined;
}

/** As `findProgram`; throws with the Debian package that brings the program. */
export async function needProgram(program: string, debianPackage: string): Promise<string> {
  const found = await findProgram(program);
  if (found !== undefined) return found;
  throw new Error(`${program} is not installed (Debian package ${debianPackage})`);
}

/**
 * Starts a service program. It is told to end when this process dies, however it dies, so that
 * an interrupted run leaves nothing behind.
 */
export async function startService(service: ServiceCommand): Promise<ServiceProcess> {
  const stopSignal = service.stopSignal ?? "SIGTERM";
  const setpriv = await findProgram("setpriv");
  const program = [service.command, ...service.arguments];
  const [command, ...rest] =
    setpriv === undefined ? program : [setpriv, ...privileges(service, stopSignal), ...program];
  const log = openSync(service.logFile, "a");
  const child = spawn(command as string, rest, {
    stdio: ["ignore", log, log],
    env: { ...process.env, ...service.environment },
  });
  closeSync(log);
  const pid = await startedPid(child, service.command);
  const exited = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    pid,
    exited,
    log: () => tail(service.logFile),
    kill: () => stopChild(child, "SIGKILL", 0),
    stop: () => stopChild(child, stopSignal, service.graceSeconds ?? 20),
  };
}

/** A TCP port on loopback that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no free port on loopback");
  return address.port;
}

/**
 * Waits until `probe` answers something other than `undefined`.
 * Throws after `seconds` (default 30), or as soon as `gone` says that waiting is in vain.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined>,
  options: { seconds?: number; everyMs?: number; gone?: () => string | undefined } = {},
): Promise<T> {
  const deadline = Date.now() + (options.seconds ?? 30) * 1000;
  let lastError: unknown;
  for (;;) {
    const answer = await probe().catch((error: unknown) => {
      lastError = error;
      return undefined;
    });
    if (answer !== undefined) return answer;
    const gone = options.gone?.();
    if (gone !== undefined) throw new Error(`${what}: ${gone}`);
    if (Date.now() >= deadline) {
      throw new Error(`${what}: not within ${options.seconds ?? 30} s`, { cause: lastError });
    }
    await delay(options.everyMs ?? 100);
  }
}

function privileges(service: ServiceCommand, stopSignal: NodeJS.Signals): string[] {
  const user = service.user === undefined ? [] : ["--reuid", service.user, "--regid", service.user];
  const groups = service.user === undefined ? [] : ["--clear-groups"];
  return [...user, ...groups, "--pdeathsig", stopSignal.replace("SIG", ""), "--"];
}

async function startedPid(child: ChildProcess, command: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  if (child.pid === undefined) throw new Error(`${command} did not start`);
  return child.pid;
}

async function stopChild(
  child: ChildProcess,
  signal: NodeJS.Signals,
  graceSeconds: number,
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill(signal);
  const timer = setTimeout(() => child.kill("SIGKILL"), graceSeconds * 1000);
  await ended;
  clearTimeout(timer);
}

function tail(file: string): string {
  return readFileSync(file, "utf8").trimEnd().split("\n").slice(-15).join("\n");
}
