import type { ContainerResource, FileResource, ModuleManifest, Volume } from "@mesh/declaration";
import { checkSubdomain } from "./job.ts";
import { checkMounts } from "./mounts.ts";
import type { Reporter } from "./reporter.ts";

type Path = readonly (string | number)[];

/** A place in a container; several mounts may share one volume, which only the first brings. */
export interface Storage {
  readonly volume?: object;
  readonly mount: { readonly mountPath: string };
}

/**
 * The mounts of a module's container. A directory is a claim that the caller names; a file of the
 * module that lies in a mounted directory is mounted from the ConfigMap at its place.
 */
export function mountsOf(
  reporter: Reporter,
  path: Path,
  manifest: ModuleManifest,
  container: ContainerResource,
  claims: Readonly<Record<string, string>>,
): readonly Storage[] {
  const storage: Storage[] = [];
  const brought = new Set<string>();
  const bring = (name: string, volume: object, mount: Storage["mount"]): void => {
    storage.push({ ...(brought.has(name) ? {} : { volume: { name, ...volume } }), mount });
    brought.add(name);
  };
  for (const [index, volume] of (container.volumes ?? []).entries()) {
    const place = [...path, "volumes", index];
    const files = filesUnder(manifest, volume.source);
    const claim = claimFor(manifest, volume.source, claims);
    if (claim !== undefined) {
      const { name, subPath } = claim;
      checkSubdomain(reporter, [...place, "source"], name, "a PersistentVolumeClaim");
      const volumeName = volumeNameOf(name, claims);
      bring(
        volumeName,
        { persistentVolumeClaim: { claimName: name } },
        mountOf(volumeName, {
          mountPath: volume.target,
          readOnly: volume.readOnly ?? false,
          ...(subPath === "" ? {} : { subPath }),
        }),
      );
    } else {
      explainMissingClaim(reporter, place, volume, files.length > 0);
    }
    if (files.length > 0) warnOfFiles(reporter, place);
    for (const { key, relative } of files) {
      bring(
        "files",
        { configMap: { name: `${manifest.module}-files` } },
        mountOf("files", {
          mountPath: `${volume.target === "/" ? "" : volume.target}/${relative}`,
          subPath: key,
          readOnly: true,
        }),
      );
    }
  }
  checkMounts(reporter, [...path, "volumes"], storage);
  return storage;
}

function mountOf<T extends Storage["mount"]>(name: string, mount: T): T & { name: string } {
  return { name, ...mount };
}

/** A volume's name is a label, where a claim's may be longer and have dots. */
function volumeNameOf(claim: string, claims: Readonly<Record<string, string>>): string {
  if (/^[a-z0-9-]{1,57}$/.test(claim)) return `claim-${claim}`;
  return `volume-${Object.values(claims).indexOf(claim)}`;
}

interface MountedFile {
  readonly key: string;
  /** The path below the volume's source. */
  readonly relative: string;
}

/** Files of the module below a directory, with their keys in the module's ConfigMap. */
function filesUnder({ resources }: ModuleManifest, source: string): readonly MountedFile[] {
  return resources
    .filter((resource): resource is FileResource => resource.type === "file")
    .map(({ path }, index) => ({ key: `file-${index}`, path }))
    .filter(({ path }) => path.startsWith(`${source}/`))
    .map(({ key, path }) => ({ key, relative: path.slice(source.length + 1) }));
}

/** The claim of the nearest directory that holds the source, and the rest of the path. */
function claimFor(
  { resources }: ModuleManifest,
  source: string,
  claims: Readonly<Record<string, string>>,
): { name: string; subPath: string } | undefined {
  const directories = resources
    .flatMap((resource) => (resource.type === "directory" ? [resource.path] : []))
    .filter((path) => source === path || source.startsWith(`${path}/`))
    .sort((a, b) => b.length - a.length);
  for (const directory of directories) {
    const name = Object.hasOwn(claims, directory) ? claims[directory] : undefined;
    if (name !== undefined) return { name, subPath: source.slice(directory.length + 1) };
  }
  return undefined;
}

/** Without a claim only the module's files are there, which is right for what is read only. */
function explainMissingClaim(
  reporter: Reporter,
  place: Path,
  { source, readOnly }: Volume,
  hasFiles: boolean,
): void {
  if (readOnly === true && hasFiles) return;
  reporter.fail("kubernetes.volume", [...place, "source"], {
    message: "a host's directory cannot be a volume in Kubernetes",
    found: JSON.stringify(source),
    help: "name a PersistentVolumeClaim for it in the option `claims`",
  });
}

function warnOfFiles(reporter: Reporter, place: Path): void {
  reporter.warn("kubernetes.file", place, {
    message: "files come from a ConfigMap: their owner and mode are Kubernetes'",
    help: "nothing to do if the container only reads them",
  });
}
