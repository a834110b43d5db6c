import * as v from "valibot";
import {
  closedMap,
  container,
  directory,
  environment,
  file,
  flag,
  nonEmpty,
  resources,
  text,
  volume,
  whole,
} from "./manifest-schema.ts";

/**
 * What a host is sent: the resources of manifests with every default written out (R3).
 * A function, so that who only parses manifests does not pay for it.
 */
export function buildDeclarationSchema() {
  const hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
  const written = { mode: text, owner: nonEmpty, hash };
  return closedMap("declaration", {
    v: v.literal(1),
    node: nonEmpty,
    generation: whole(0, Number.MAX_SAFE_INTEGER),
    modules: v.array(
      closedMap("declared module", {
        module: nonEmpty,
        account: nonEmpty,
        resources: v.array(
          v.variant("type", [
            closedMap("declared directory", { ...directory, ...written }),
            closedMap("declared file", { ...file, ...written }),
            closedMap("declared container", {
              ...container,
              account: nonEmpty,
              environment,
              volumes: v.array(closedMap("declared volume", { ...volume, readOnly: flag })),
              resources,
              "run-once": flag,
              hash,
            }),
          ]),
        ),
      }),
    ),
  });
}
