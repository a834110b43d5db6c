import {
  command,
  environment,
  image,
  type MapWords,
  mode,
  name,
  PATH,
  place,
  QUANTITY,
  readOnly,
  resources,
  schedule,
  target,
} from "./field-words.ts";
import { JOB_WORDS } from "./job-words.ts";

/** Words for every field of every map, by the map's title in the schema. */
export const WORDS: Readonly<Record<string, MapWords>> = {
  module: {
    kind: { description: "May be left out: the shape tells it.", examples: ["Module"] },
    module: name("The module's name"),
    version: { description: "Version of this format.", examples: [1] },
    account: { description: "The module's own name, if given.", examples: ["kometa"] },
    resources: {
      description: "What the module needs on a node, in the order in which it is made.",
      examples: [[{ type: "directory", path: "/var/lib/mesh/kometa" }]],
    },
  },
  directory: {
    type: { description: "A directory.", examples: ["directory"] },
    ...place,
    mode: { ...mode, examples: ["0750"], default: "0750" },
  },
  file: {
    type: { description: "A file with the content given here.", examples: ["file"] },
    ...place,
    mode: { ...mode, examples: ["0640"], default: "0640" },
    content: {
      description: "The whole content of the file; a block after | keeps line breaks.",
      examples: ["cache: true\n"],
    },
  },
  container: {
    type: {
      description: "A container: a service, a run-once or a scheduled step.",
      examples: ["container"],
    },
    name: name("The container's name"),
    image,
    command,
    environment,
    volumes: {
      description: "Directories of this module that the container sees.",
      examples: [[{ source: "/var/lib/mesh/kometa", target: "/config" }]],
    },
    resources: { ...resources, description: `${resources.description} The host's own if absent.` },
    "run-once": {
      description:
        "Run to completion once, before what follows; a failure stops what follows. " +
        "Not together with schedule.",
      examples: [true],
      default: false,
    },
    schedule: {
      ...schedule,
      description: `Run to completion on this cadence, in UTC. ${schedule.description}`,
    },
  },
  volume: {
    source: {
      description: "A directory that this module declares, or below it.",
      examples: ["/var/lib/mesh/kometa"],
      pattern: PATH,
    },
    target,
    readOnly,
  },
  resources: {
    cpu: {
      description: "Cores, or thousandths of a core with m; above 0, at most 1000 cores.",
      examples: ["100m", "0.5", "2"],
      default: "100m",
      pattern: QUANTITY,
    },
    memory: {
      description: "Bytes, with a suffix such as Mi or Gi; above 0, in whole bytes.",
      examples: ["128Mi", "1Gi"],
      default: "128Mi",
      pattern: QUANTITY,
    },
  },
  ...JOB_WORDS,
};
