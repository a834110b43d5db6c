export type {
  Engine,
  HeartbeatRequest,
  Lease,
  NodeStatus,
  PollAnswer,
  PollRequest,
  RegisterRequest,
  Report,
  ReportsAnswer,
  ReportsRequest,
  RunOnceRecord,
  RunRecord,
  TaskAssignment,
  TaskReport,
} from "./agent-link.ts";
export {
  engineSchema,
  heartbeatRequestSchema,
  leaseSchema,
  nodeStatusSchema,
  pollAnswerSchema,
  pollRequestSchema,
  registerRequestSchema,
  reportSchema,
  reportsAnswerSchema,
  reportsRequestSchema,
  taskAssignmentSchema,
} from "./agent-link.ts";
export type { Fetch, MeshClient } from "./client.ts";
export { createClient } from "./client.ts";
export { ApiError, isApiError, isLinkError, LinkError } from "./errors.ts";
export type {
  ApplyAnswer,
  ContainerRunView,
  CronJobView,
  DecisionView,
  ErrorAnswer,
  EventView,
  HealthView,
  JobView,
  ModuleView,
  NodeView,
  RunOrigin,
  RunView,
  ScheduledRunView,
  SecretView,
  TaskView,
} from "./views.ts";
