export { formatDiagnostic } from "./code-frame.ts";
export { formatManifestYaml, formatYaml } from "./yaml-format.ts";
export {
  type ParsedYaml,
  type ParsedYamls,
  parseManifestsYaml,
  parseManifestYaml,
  type SourceDiagnostic,
  type YamlOptions,
} from "./yaml-manifest.ts";
