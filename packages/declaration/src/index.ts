export { checkBound, safeParseDeclaration } from "./bound.ts";
export { parseManifest, safeParseManifest } from "./check-manifest.ts";
export { scheduleFromContainer } from "./container-schedule.ts";
export {
  type AppliedResource,
  type AppliedState,
  type HostContainer,
  type HostDeclaration,
  type HostDirectory,
  type HostFile,
  type HostModule,
  type HostResource,
  type HostVolume,
  resourceKey,
} from "./declaration.ts";
export {
  DeclarationError,
  type Diagnostic,
  isDeclarationError,
  type ParseResult,
  type Position,
} from "./diagnostic.ts";
export type { HostBound } from "./host-bound.ts";
export {
  type ImageReference,
  parseImageReference,
  safeParseImageReference,
} from "./image-reference.ts";
export {
  type ContainerKind,
  type ContainerResource,
  type ContainerResources,
  type CronJobManifest,
  containerKind,
  type DirectoryResource,
  type FileResource,
  type JobManifest,
  type JobTemplate,
  type Manifest,
  type ModuleManifest,
  type ModuleResource,
  scheduleFromManifest,
  type Volume,
} from "./manifest.ts";
export {
  type DeclaredStep,
  emptyAppliedState,
  isCurrent,
  type Plan,
  type PlanStep,
  planApply,
  type RemoveStep,
  recordStep,
  type StepPlace,
} from "./plan.ts";
export {
  type CpuQuantity,
  type MemoryQuantity,
  parseQuantity,
  safeParseQuantity,
} from "./quantity.ts";
export { renderDeclaration } from "./render.ts";
