import { Deployment } from "kubernetes-models/apps/v1";
import { CronJob, Job } from "kubernetes-models/batch/v1";
import { ConfigMap } from "kubernetes-models/v1";
import type { KubernetesObject } from "../src/index.ts";

const MODELS = { Deployment, CronJob, Job, ConfigMap } as Record<
  string,
  new (
    data: never,
  ) => { validate(): void; toJSON(): unknown }
>;

/** Checks an object by the OpenAPI schemas of Kubernetes; throws what they refuse. */
export function validate(object: KubernetesObject): void {
  const Model = MODELS[object.kind];
  if (Model === undefined) throw new Error(`no schema for ${object.kind}`);
  new Model(object as never).validate();
}
