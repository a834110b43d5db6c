import type { NodeStatus, PollAnswer } from "@mesh/protocol";
import { judgeDeclaration } from "../link/judge.ts";
import type { Converger, Problem } from "./converge.ts";
import type { Log } from "./log.ts";
import type { Services } from "./services.ts";
import type { HostSettings } from "./settings.ts";
import type { Tasks } from "./tasks.ts";

/** What the server wants of the node, judged and handed on; and how the node stands with it. */
export interface Intake {
  /** Takes a poll's answer; before the host has begun it is kept until then, the newest alone. */
  take(answer: PollAnswer, asked: { readonly askedAt: number }): void;
  /** From here on answers are handed on. */
  open(): void;
  status(): NodeStatus;
}

export interface IntakeContext {
  readonly converger: Converger;
  readonly services: Services;
  readonly tasks: Tasks;
  readonly settings: HostSettings;
  readonly log: Log;
  readonly onChange: () => void;
}

/** A heartbeat holds so many problems, each cut to so many characters: servers limit its size. */
const TOLD_PROBLEMS = 100;
const TOLD_LENGTH = 1024;

export function createIntake(context: IntakeContext): Intake {
  const { converger, services, tasks } = context;
  let refusal: Problem | undefined;
  let isOpen = false;
  let kept: Parameters<Intake["take"]> | undefined;
  const take: Intake["take"] = (answer, asked) => {
    if (!isOpen) {
      kept = [answer, asked];
      return;
    }
    if (answer.declaration !== undefined) {
      refusal = takeDeclaration(context, answer.declaration);
      if (refusal !== undefined) context.onChange();
    }
    tasks.take(answer.tasks, asked);
  };
  return {
    take,
    open: () => {
      isOpen = true;
      if (kept !== undefined) take(...kept);
      kept = undefined;
    },
    status: () => {
      const { generation, applied, problems } = converger.progress();
      const troubles = services.troubles().map(({ module, container, message }) => ({
        module,
        key: `container:${container}`,
        code: "service.keeps-ending",
        message,
      }));
      const all = [...problems, ...troubles, ...(refusal === undefined ? [] : [refusal])];
      return { generation, applied, current: applied && all.length === 0, problems: told(all) };
    },
  };
}

function told(all: readonly Problem[]): Problem[] {
  const problems = all.slice(0, TOLD_PROBLEMS).map((problem) => ({
    ...problem,
    message: problem.message.slice(0, TOLD_LENGTH),
  }));
  const more = all.length - problems.length;
  if (more > 0) problems.push({ module: "*", code: "more", message: `and ${more} more` });
  return problems;
}

/** Hands a declaration on that the bound allows; what it refuses changes nothing (R7). */
function takeDeclaration(
  { converger, settings, log }: IntakeContext,
  value: unknown,
): Problem | undefined {
  const { generation } = converger.progress();
  const judged = judgeDeclaration(value, { bound: settings.bound, generation });
  if (judged.ok) {
    converger.take(judged.declaration);
    return undefined;
  }
  const { code, message, diagnostics } = judged.refusal;
  const places = diagnostics.slice(0, 20).map((one) => `${one.code} ${one.pointer}`.slice(0, 200));
  log.error({ code, places }, `a declaration was refused whole: ${message}`);
  return { module: moduleAt(value, diagnostics[0]?.pointer), code, message };
}

/** The module that a refusal is about, if it is about one. */
function moduleAt(value: unknown, pointer: string | undefined): string {
  const index = /^\/modules\/([0-9]+)/.exec(pointer ?? "")?.[1];
  const modules = (value as { modules?: unknown } | null)?.modules;
  if (index === undefined || !Array.isArray(modules)) return "*";
  const name: unknown = modules[Number(index)]?.module;
  return typeof name === "string" && name !== "" ? name.slice(0, 253) : "*";
}
