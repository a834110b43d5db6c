// One adapter a library: the same work in each one's own words. A pre-parsed schedule is asked for
// the occurrence after an instant (`next`), for several in a row (`take`) and whether one matches.
import cronParser from "cron-parser";
import { parseCronExpression } from "cron-schedule";
import { Cron as Croner } from "croner";
import { CronosExpression } from "cronosjs";
import { Cron as EffectCron } from "effect";
import { matchesCron, nextOccurrence, occurrencesBetween, parseCron } from "../dist/index.js";

// node-cron's public functions answer only from the present moment; this is what they use.
const nodeCron = await import(new URL("./_shared.js", import.meta.resolve("node-cron")).href);

const FAR = { horizonMinutes: 50 * 527_040 };
const END = 8.64e14;

export const peers = {
  "@mesh/cron": {
    numbers: true,
    parse: (text) => parseCron(text),
    prepare: (text, timeZone) => ({ cron: parseCron(text), options: { timeZone, ...FAR } }),
    next: ({ cron, options }, after) => nextOccurrence(cron, after, options),
    take: ({ cron, options }, after, limit) =>
      occurrencesBetween(cron, { after, through: END }, { timeZone: options.timeZone, limit }),
    match: ({ cron, options }, at) => matchesCron(cron, at, options),
  },
  croner: {
    parse: (text) => new Croner(text, { paused: true }),
    prepare: (text, timezone) => new Croner(text, { timezone, paused: true }),
    next: (job, after) => job.nextRun(after),
    take: (job, after, limit) => job.nextRuns(limit, after),
    match: (job, at) => job.match(at),
  },
  "cron-parser": {
    parse: (text) => cronParser.CronExpressionParser.parse(text),
    prepare: (text, tz) => cronParser.CronExpressionParser.parse(text, { tz }),
    next: (expression, after) => {
      expression.reset(after);
      return expression.next().toDate();
    },
    take: (expression, after, limit) => {
      expression.reset(after);
      return expression.take(limit);
    },
    match: (expression, at) => expression.includesDate(at),
  },
  "cron-schedule": {
    zones: ["UTC"],
    parse: (text) => parseCronExpression(text),
    prepare: (text) => parseCronExpression(text),
    next: (cron, after) => cron.getNextDate(after),
    take: (cron, after, limit) => cron.getNextDates(limit, after),
    match: (cron, at) => cron.matchDate(at),
  },
  cronosjs: {
    endless: true,
    parse: (text) => CronosExpression.parse(text),
    prepare: (text, timezone) => CronosExpression.parse(text, { timezone }),
    next: (expression, after) => expression.nextDate(after),
    take: (expression, after, limit) => expression.nextNDates(after, limit),
  },
  "node-cron": {
    parse: (text) => new nodeCron.T(text),
    prepare: (text, zone) => new nodeCron.T(text, zone),
    next: (matcher, after) => matcher.getNextMatch(after),
    take: (matcher, after, limit) => {
      const found = [after];
      while (found.length <= limit) found.push(matcher.getNextMatch(found[found.length - 1]));
      return found;
    },
    match: (matcher, at) => matcher.match(at),
  },
  effect: {
    parse: (text) => EffectCron.parseUnsafe(text),
    prepare: (text, zone) => EffectCron.parseUnsafe(text, zone),
    next: (cron, after) => EffectCron.next(cron, after),
    take: (cron, after, limit) => {
      const sequence = EffectCron.sequence(cron, after);
      return Array.from({ length: limit }, () => sequence.next().value);
    },
    match: (cron, at) => EffectCron.match(cron, at),
  },
};
