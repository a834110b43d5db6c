import { DIGEST } from "./manifests.ts";

const PIN = `@sha256:${DIGEST}`;
const IMAGE = `ghcr.io/acme/kometa${PIN}`;

const module = (resource: string): string =>
  `module: kometa\nversion: 1\nresources: [${resource}]\n`;
const container = (fields: string): string =>
  module(`{type: container, name: sync, image: "${IMAGE}", ${fields}}`);
const image = (reference: string): string =>
  module(`{type: container, name: sync, image: "${reference}"}`);
const file = (path: string, fields = ""): string =>
  module(`{type: file, path: "${path}", content: x${fields}}`);
const mode = (text: string): string => file("/etc/mesh/kometa/a", `, mode: ${text}`);
const job = (fields: string): string => `name: report\nimage: ${IMAGE}\n${fields}\n`;
const cpu = (text: string): string => job(`resources: {cpu: ${text}}`);
const memory = (text: string): string => job(`resources: {memory: ${text}}`);
const cron = (schedule: string): string => container(`schedule: "${schedule}"`);
const template = `jobTemplate: {image: "${IMAGE}"}`;
const home = "{type: directory, path: /var/lib/mesh/kometa}";
const volumes = (...list: readonly string[]): string =>
  module(
    `${home}, {type: container, name: sync, image: "${IMAGE}", volumes: [${list.join(", ")}]}`,
  );
const source = "source: /var/lib/mesh/kometa";

/** A manifest for each code that a manifest can give. */
export const MANIFEST_EXAMPLES: Readonly<Record<string, string>> = {
  "account.not-scoped": `${module("")}account: postgres\n`,
  "account.reserved": `${module("")}account: root\n`,
  "bound.option": container("privileged: true"),
  "bound.shape": module("{type: timer, name: nightly}"),
  "command.control-char": container('command: ["a\\0b"]'),
  "cron.both-day-fields": cron("0 0 13 * 5"),
  "cron.extension": cron("0 0 L * *"),
  "cron.fields": cron("0 0 3 * * *"),
  "cron.macro": cron("@daily"),
  "cron.name": cron("0 0 * * MON"),
  "cron.never": cron("0 0 30 2 *"),
  "cron.range": cron("0 24 * * *"),
  "cron.range-order": cron("0 22-6 * * *"),
  "cron.step": cron("*/0 * * * *"),
  "cron.step-on-value": cron("5/10 * * * *"),
  "cron.syntax": cron("1--5 * * * *"),
  "cron.timezone-prefix": cron("TZ=UTC 0 3 * * *"),
  "cron.too-long": cron(`${"0,".repeat(150)}0 * * * *`),
  "env.control-char": container('environment: {KEY: "a\\0b"}'),
  "env.name": container('environment: {"A B": x}'),
  "env.reserved": container("environment: {MESH_RUN_ID: x}"),
  "env.value-type": container("environment: {PORT: 8080}"),
  "failure.exclusive": job(
    "failurePolicy: {rules: [{action: Fail, onExitCodes: {in: [1], notIn: [2]}}]}",
  ),
  "file.content": module('{type: file, path: /etc/mesh/kometa/a, content: "\\uD800"}'),
  "image.credentials": image(`user:pw@example.com/app${PIN}`),
  "image.digest-algorithm": image(`app@md5:${"a".repeat(32)}`),
  "image.digest-encoding": image("app@sha256:0123"),
  "image.digest-syntax": image("app@0123"),
  "image.id-not-name": image(DIGEST),
  "image.name": image(`example.com/_app${PIN}`),
  "image.not-pinned": image("ghcr.io/acme/kometa:latest"),
  "image.scheme": image(`https://example.com/app${PIN}`),
  "image.tag": image(`example.com/app:-1${PIN}`),
  "image.too-long": image(`example.com/${"b".repeat(250)}${PIN}`),
  "image.uppercase": image(`Busybox${PIN}`),
  "image.variable": image(`$REGISTRY/kometa${PIN}`),
  "image.whitespace": image(` busybox${PIN}`),
  "limit.range": job("backoffLimit: -1"),
  "manifest.duplicate": `${job("")}---\n${job("")}`,
  "mode.special-bits": mode('"04755"'),
  "mode.syntax": mode('"644"'),
  "mode.type": mode("0644"),
  "mode.world-writable": mode('"0666"'),
  "name.duplicate": module(
    `{type: container, name: a, image: "${IMAGE}"}, {type: container, name: a, image: "${IMAGE}"}`,
  ),
  "name.invalid": job("").replace("report", "My_Report"),
  "name.reserved": job("").replace("report", "report-202610130900"),
  "path.below-file": module(
    "{type: file, path: /etc/mesh/kometa/a, content: x}, {type: directory, path: /etc/mesh/kometa/a/b}",
  ),
  "path.control-char": file("/etc/mesh/kometa/a\\tb"),
  "path.duplicate": module(`${home}, ${home}`),
  "path.meta-char": file("/etc/mesh/kometa/*"),
  "path.not-normal": file("/etc/mesh/kometa//a"),
  "path.outside-root": file("/etc/cron.d/x"),
  "path.relative": file("config.yml"),
  "path.too-long": file(`/etc/mesh/kometa/${"a".repeat(256)}`),
  "path.traversal": file("/etc/mesh/kometa/../../passwd"),
  "placement.key": job("placement: [{key: a b, operator: equals, value: x}]"),
  "placement.value": job("placement: [{key: zone, operator: equals, value: a b}]"),
  "quantity.empty": cpu('""'),
  "quantity.memory-below-6Mi": memory("1Mi"),
  "quantity.negative": cpu('"-1"'),
  "quantity.precision": memory("400m"),
  "quantity.suffix": memory("1GB"),
  "quantity.syntax": cpu("50%"),
  "quantity.too-large": cpu("2k"),
  "quantity.type": cpu("0.5"),
  "quantity.unit": cpu("1Mi"),
  "quantity.whitespace": cpu('" 1"'),
  "quantity.zero": cpu('"0"'),
  "run.exclusive": container('run-once: true, schedule: "0 3 * * *"'),
  "shape.empty": container('schedule: ""'),
  "shape.enum": `name: report\nschedule: "0 9 * * *"\nconcurrencyPolicy: allow\n${template}\n`,
  "shape.missing": "name: report\nkind: Job\n",
  "shape.type": job('backoffLimit: "2"'),
  "shape.unknown-key": job("backoff_limit: 2"),
  "timezone.unknown": `name: report\nschedule: "0 9 * * *"\ntimezone: Europe/Belgrad\n${template}\n`,
  "version.unsupported": module("").replace("version: 1", "version: 2"),
  "volume.duplicate-target": volumes(`{${source}, target: /c}`, `{${source}, target: /c}`),
  "volume.target": volumes(`{${source}, target: /proc/sys}`),
  "volume.undeclared": volumes("{source: /var/run/docker.sock, target: /s}"),
  "yaml.alias": container("schedule: *nightly"),
  "yaml.ambiguous-scalar": container("environment: {COUNTRY: NO}"),
  "yaml.anchor": `a: &a [x]\nb: *a\n`,
  "yaml.control-char": "name: re\u0007port\n",
  "yaml.directive": `%YAML 1.1\n---\n${job("")}`,
  "yaml.documents": `${job("")}---\n${job("").replace("report", "other")}`,
  "yaml.duplicate-key": `${job("")}name: other\n`,
  "yaml.empty": "# nothing here\n",
  "yaml.key-type": container("environment: {1: x}"),
  "yaml.merge-key": `${job("")}<<: {backoffLimit: 1}\n`,
  "yaml.syntax": "name: report\nschedule: */5 * * * *\n",
  "yaml.tab-indent": "module: kometa\nresources:\n\t- type: file\n",
  "yaml.tag": `${job("")}command: !shell [a]\n`,
  "yaml.too-deep": `a: ${"[".repeat(40)}`,
  "yaml.too-large": `# ${"x".repeat(262_144)}\n${job("")}`,
};
