import { parseJobEvent } from "@mesh/jobs";
import type { Report, ReportsAnswer, ReportsRequest } from "@mesh/protocol";
import { notFound } from "../refusal.ts";
import { unreadable } from "../store/job-rows.ts";
import { loadJob } from "../store/jobs.ts";
import { findNode } from "../store/nodes.ts";
import { insertEvents, rememberReport, saveContainerRun } from "../store/records.ts";
import type { Store, Tx } from "../store/store.ts";
import { ownerOfTask } from "../store/tasks.ts";
import { nodeEvent, runEvent, stepEvent } from "../words/host-events.ts";
import { applyJobEvent } from "./commit-job.ts";

/**
 * Applies each report once, in a transaction of its own, and acknowledges it: also one that was
 * here before or changes nothing, since sending it again would change nothing either (A8, J5).
 */
export async function acceptReports(
  store: Store,
  { node, reports }: ReportsRequest,
  now: number,
): Promise<ReportsAnswer> {
  if ((await store.read((db) => findNode(db, node))) === undefined) throw notFound("node", node);
  const acknowledged: string[] = [];
  for (const report of reports) {
    await store.write(async (tx) => {
      if (!(await rememberReport(tx, { node, id: report.id, at: now }))) return;
      await acceptReport(tx, { node, report, now });
    });
    acknowledged.push(report.id);
  }
  return { acknowledged };
}

async function acceptReport(
  tx: Tx,
  { node, report, now }: { node: string; report: Report; now: number },
): Promise<void> {
  switch (report.kind) {
    case "task":
      return acceptTaskReport(tx, { node, report, now });
    case "run":
      return acceptRun(tx, { node, report, now });
    case "runOnce": {
      const { module, container, record } = report;
      return insertEvents(tx, now, [stepEvent({ node, module, container }, record)]);
    }
  }
}

async function acceptTaskReport(
  tx: Tx,
  { node, report, now }: { node: string; report: Report & { kind: "task" }; now: number },
): Promise<void> {
  const owner = await ownerOfTask(tx.db, report.taskId);
  // A node speaks for its own tasks only (S5); one that is gone is nobody's any more.
  if (owner === undefined || owner.node !== node) return;
  const job = await loadJob(tx.db, owner.jobId).catch(unreadable);
  if (job === undefined) return;
  if (job === "unreadable") {
    // Acknowledged all the same: it would come again for ever, and with it all that follows it.
    const { status } = report.report;
    const text = `reports ${status} of task ${report.taskId}, whose Job cannot be read`;
    return insertEvents(tx, now, [nodeEvent(node, "node.report-unused", text)]);
  }
  const { message, ...said } = { message: undefined, ...report.report };
  const { taskId, output } = report;
  const event = parseJobEvent({ type: "taskReported", taskId, at: now, ...said });
  await applyJobEvent(tx, job, event, { taskId, output, message });
}

async function acceptRun(
  tx: Tx,
  { node, report, now }: { node: string; report: Report & { kind: "run" }; now: number },
): Promise<void> {
  const { module, container, record } = report;
  const { key, at } = identityOf(record);
  await saveContainerRun(tx, {
    node,
    module,
    container,
    key,
    at,
    reported_at: now,
    ended: record.outcome === "started" ? 0 : 1,
    record_json: JSON.stringify(record),
  });
  await insertEvents(tx, now, [runEvent({ node, module, container }, record)]);
}

/** A run is one row from start to end; a skip or a missed interval is one by its first instant. */
function identityOf(record: (Report & { kind: "run" })["record"]): { key: string; at: number } {
  switch (record.outcome) {
    case "skipped":
      return { key: `skipped:${record.occurrenceAt}`, at: record.occurrenceAt };
    case "missed":
      return { key: `missed:${record.firstAt}`, at: record.firstAt };
    default:
      return { key: `run:${record.runId}`, at: record.occurrenceAt };
  }
}
