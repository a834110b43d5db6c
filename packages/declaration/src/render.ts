import { contentHash } from "./content-hash.ts";
import type { HostContainer, HostDeclaration, HostModule, HostResource } from "./declaration.ts";
import { parseImageReference } from "./image-reference.ts";
import type { ContainerResource, ModuleManifest, ModuleResource } from "./manifest.ts";
import { accountOf } from "./names.ts";
import { formatAmount, parseQuantity } from "./quantity.ts";

/**
 * What a node should have: the modules assigned to it with every default written out (R3).
 * Images are fully qualified, quantities in one spelling for each value, accounts `mesh-<module>`;
 * resources keep their order, modules are in the order of their names; `schedule` is unchanged.
 * Modules come from `parseManifest`; one named twice, or a bad generation, is a `RangeError`.
 */
export function renderDeclaration(
  modules: readonly ModuleManifest[],
  { node, generation }: { readonly node: string; readonly generation: number },
): HostDeclaration {
  if (!Number.isSafeInteger(generation) || generation < 0) {
    throw new RangeError(`generation must be a whole number from 0, found ${generation}`);
  }
  const rendered = modules
    .map(renderModule)
    .sort((a, b) => (a.module < b.module ? -1 : a.module > b.module ? 1 : 0));
  rendered.forEach(({ module }, index) => {
    if (rendered[index + 1]?.module === module) {
      throw new RangeError(`modules must have names of their own, found ${module} twice`);
    }
  });
  return { v: 1, node, generation, modules: rendered };
}

function renderModule({ module, resources }: ModuleManifest): HostModule {
  const account = accountOf(module);
  return { module, account, resources: resources.map((one) => renderResource(one, account)) };
}

function renderResource(resource: ModuleResource, account: string): HostResource {
  switch (resource.type) {
    case "directory": {
      const { type, path, mode = "0750" } = resource;
      return withHash({ type, path, mode, owner: account });
    }
    case "file": {
      const { type, path, mode = "0640", content } = resource;
      return withHash({ type, path, mode, owner: account, content });
    }
    case "container":
      return renderContainer(resource, account);
  }
}

function renderContainer(container: ContainerResource, account: string): HostContainer {
  const { type, name, image, command, environment, volumes, resources, schedule } = container;
  return withHash({
    type,
    name,
    account,
    image: parseImageReference(image).canonical,
    ...(command === undefined ? {} : { command }),
    environment: environment ?? {},
    volumes: (volumes ?? []).map(({ source, target, readOnly = false }) => ({
      source,
      target,
      readOnly,
    })),
    resources: renderResources(resources),
    "run-once": container["run-once"] ?? false,
    ...(schedule === undefined ? {} : { schedule }),
  });
}

/** Equal amounts get one spelling, so that they have one hash. */
function renderResources({ cpu, memory }: ContainerResource["resources"] = {}) {
  return {
    ...(cpu === undefined
      ? {}
      : { cpu: formatAmount(parseQuantity(cpu, "cpu").millicores, "cpu") }),
    ...(memory === undefined
      ? {}
      : { memory: formatAmount(parseQuantity(memory, "memory").bytes, "memory") }),
  };
}

function withHash<T extends object>(content: T): T & { readonly hash: string } {
  return { ...content, hash: contentHash(content) };
}
