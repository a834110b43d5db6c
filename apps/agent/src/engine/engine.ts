/** The port to what runs containers. Every adapter passes the one contract suite. */
export interface Engine {
  readonly kind: "docker" | "podman" | "raw-exec" | "simulated";
  readonly version: string;
  /** False for `raw-exec`, which starts plain processes: no image, no isolation, no limits (R7). */
  readonly isolates: boolean;
  hasImage(image: string): Promise<boolean>;
  /** Fetches the image unless it is there. Rejects with `neverStarted` and the reason. */
  ensureImage(image: string): Promise<void>;
  /**
   * Creates a container, not started, and resolves with its id. A container of that name with the
   * same labels is not made twice: its id comes back, whatever it is doing.
   */
  create(spec: ContainerSpec): Promise<string>;
  /** Starts what is created or exited; one that runs is left as it is. */
  start(id: string): Promise<void>;
  /** Resolves once the container does not run, after reconnecting as often as needed. */
  wait(id: string, signal: AbortSignal): Promise<ContainerState>;
  /** What the container does; `undefined` when the engine has no such container. */
  inspect(id: string): Promise<ContainerState | undefined>;
  /** Asks to end, and ends by force after the grace. One that is not there is no error. */
  stop(id: string, graceSeconds: number): Promise<void>;
  /** Removes by id or name, by force if it runs. One that is not there is no error. */
  remove(idOrName: string): Promise<void>;
  /** Containers that carry all of these labels, running or not. */
  list(labels: Labels): Promise<readonly OwnedContainer[]>;
  /** The last characters that the container printed, at most `limit`. */
  outputTail(id: string, limit: number): Promise<string>;
}

export type Labels = Readonly<Record<string, string>>;

/** All that a container may be given (R7): there is no word here for any further power. */
export interface ContainerSpec {
  readonly name: string;
  readonly labels: Labels;
  readonly image: string;
  readonly command?: readonly string[] | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly uid: number;
  readonly gid: number;
  readonly mounts: readonly Mount[];
  readonly memoryBytes: number;
  readonly cpuMillicores: number;
  readonly pids: number;
}

/** A directory of the host at a place in the container. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

export interface OwnedContainer {
  readonly id: string;
  readonly labels: Labels;
}

export type ContainerState =
  | { readonly phase: "created" }
  | { readonly phase: "running"; readonly startedAt?: number }
  | {
      readonly phase: "exited";
      readonly exit: Exit;
      readonly startedAt?: number;
      readonly finishedAt?: number;
    };

/** How a container ended: with a code, or in a way that nobody can tell any more. */
export type Exit =
  | { readonly kind: "code"; readonly exitCode: number; readonly outOfMemory: boolean }
  | { readonly kind: "unknown"; readonly message: string };
