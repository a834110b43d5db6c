import { admitTimeZone } from "@mesh/cron";
import { notPinned } from "./check-module.ts";
import {
  checkCommand,
  checkResources,
  checkSchedule,
  checkTargets,
  faultOf,
} from "./container-rules.ts";
import { checkEnvironment } from "./environment.ts";
import {
  collectFindings,
  type Fault,
  type Finding,
  type Findings,
  type Path,
  quote,
} from "./finding.ts";
import { readImageReference } from "./image-reference.ts";
import type { CronJobManifest, JobManifest, JobTemplate } from "./manifest.ts";
import {
  checkFileName,
  checkJobName,
  checkLabel,
  checkPlacementWord,
  MAX_SCHEDULE_NAME,
} from "./names.ts";
import { isWithin } from "./paths.ts";

type Rule = NonNullable<JobTemplate["failurePolicy"]>["rules"][number];

/** What a Job of the right shape means that it must not, with its warnings (R4, R5). */
export function checkJob(manifest: JobManifest): readonly Finding[] {
  const findings = collectFindings();
  findings.add(["name"], checkJobName(manifest.name));
  checkTemplate(findings, [], manifest);
  return findings.all;
}

/** As `checkJob`, for a schedule and its template (R2, C7, C12, D1). */
export function checkCronJob(manifest: CronJobManifest): readonly Finding[] {
  const findings = collectFindings();
  findings.add(["name"], checkLabel(manifest.name, "a schedule's name", MAX_SCHEDULE_NAME));
  checkSchedule(findings, ["schedule"], manifest.schedule);
  if (manifest.timezone !== undefined) {
    findings.add(["timezone"], checkTimeZone(manifest.timezone));
  }
  checkTemplate(findings, ["jobTemplate"], manifest.jobTemplate);
  return findings.all;
}

function checkTimeZone(timeZone: string): Fault | undefined {
  const admitted = admitTimeZone(timeZone);
  const [problem] = admitted.ok ? [] : admitted.diagnostics;
  return problem === undefined ? undefined : faultOf(problem);
}

function checkTemplate(findings: Findings, path: Path, template: JobTemplate): void {
  const { image, value, fault } = { image: template.image, ...readImageReference(template.image) };
  findings.add([...path, "image"], fault);
  if (value !== undefined && value.digest === undefined) {
    findings.add([...path, "image"], { ...notPinned(image), severity: "warning" });
  }
  checkCommand(findings, [...path, "command"], template.command);
  checkEnvironment(findings, [...path, "environment"], template.environment);
  checkResources(findings, [...path, "resources"], template.resources);
  checkSecrets(findings, [...path, "secrets"], template.secrets);
  template.placement?.forEach(({ key, value: wanted }, index) => {
    findings.add([...path, "placement", index, "key"], checkPlacementWord(key, "key"));
    findings.add([...path, "placement", index, "value"], checkPlacementWord(wanted, "value"));
  });
  template.volumeClaims?.forEach(({ claim }, index) => {
    findings.add([...path, "volumeClaims", index, "claim"], checkLabel(claim, "a claim's name"));
  });
  checkTargets(findings, [...path, "volumeClaims"], template.volumeClaims);
  if (template.secrets !== undefined && template.secrets.length > 0) {
    template.volumeClaims?.forEach(({ target }, index) => {
      if (!isWithin(target, SECRETS_FOLDER)) return;
      findings.add([...path, "volumeClaims", index, "target"], coversSecrets(target));
    });
  }
  template.failurePolicy?.rules.forEach((rule, index) => {
    checkFailureRule(findings, [...path, "failurePolicy", "rules", index], rule);
  });
}

/** Where a Job's secrets are files (S6). */
const SECRETS_FOLDER = "/run/secrets";

function coversSecrets(target: string): Fault {
  return {
    code: "volume.target",
    message: `a volume cannot cover ${SECRETS_FOLDER}, where the Job's secrets are`,
    found: quote(target),
    help: "use a path such as /data",
  };
}

function checkSecrets(findings: Findings, path: Path, secrets: JobTemplate["secrets"]): void {
  const seen = new Map<string, number>();
  secrets?.forEach(({ name, key }, index) => {
    findings.add([...path, index, "name"], checkFileName(name, "a secret's name"));
    if (key !== undefined) findings.add([...path, index, "key"], checkFileName(key, "a key"));
    const first = seen.get(name);
    if (first === undefined) {
      seen.set(name, index);
      return;
    }
    findings.all.push({
      code: "name.duplicate",
      path: [...path, index, "name"],
      message: "one secret is named twice",
      found: quote(name),
      help: "remove one of the two: each secret is one file, which has its name",
      related: [{ message: "first named here", path: [...path, first, "name"] }],
    });
  });
}

/** A rule has a condition, and a condition on codes is either `in` or `notIn` (J7). */
function checkFailureRule(findings: Findings, path: Path, rule: Rule): void {
  if (rule.onExitCodes === undefined && rule.onReasons === undefined) {
    findings.add(path, {
      code: "shape.missing",
      message: "a rule needs a condition",
      allowed: ["onExitCodes", "onReasons"],
      help: "add onExitCodes or onReasons; what every failure does is set by backoffLimit",
    });
  }
  const codes = rule.onExitCodes;
  if (codes === undefined) return;
  const both = "in" in codes && "notIn" in codes;
  if (both || Object.keys(codes).length === 0) {
    findings.add([...path, "onExitCodes"], {
      code: both ? "failure.exclusive" : "shape.missing",
      message: "onExitCodes has either in or notIn",
      allowed: ["in", "notIn"],
      help: both ? "remove one of the two" : "add in: [<codes>]",
    });
  }
}
