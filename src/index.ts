/**
 * The public library: everything that a program needs to embed statedsl, and nothing else. `docs/library.md`
 * documents it.
 */

export type {
  CompareOptions,
  FollowOptions,
  ReplayFrom,
  ReplayRunOptions,
  ResumeRunOptions,
  Startable,
  StartOptions,
} from './app/execution-options.js';
export type { AuditEntry } from './app/folder/audit-run.js';
export {
  type Compilation,
  type CompileOptions,
  compile,
  type Machine,
  type Parser,
  parseFile,
} from './app/library/compile-text.js';
export {
  type Diagnostic,
  diagnosticsToJson,
  type Findings,
  formatDiagnostics,
  type Source,
} from './app/library/diagnostics.js';
export {
  type Exchange,
  exchange,
  type Finished,
  imageOf,
  type LiveRun,
  type LiveRunOptions,
  type RunImage,
  runOf,
} from './app/library/live-run.js';
export {
  type EffectContext,
  type Effects,
  type ExecutionOptions,
  fileJournal,
  type HostOptions,
  hostEffects,
  type Journal,
  type MemoryJournal,
  memoryJournal,
  type OpenJournal,
  type RunFolder,
  type RunHeader,
  type RunOptions,
  type RunResources,
  scriptedEffects,
} from './app/library/run-machine.js';
export { openPrograms } from './app/open-runs.js';
export type {
  CheckedProgram,
  CheckOptions,
  FixedProgram,
  FolderOptions,
  Formatted,
  FoundConfiguration,
  GraphOptions,
  Prepared,
  PrepareOptions,
  Programs,
  RunBounds,
} from './app/programs.js';
export type {
  ListedInput,
  ListedPattern,
  ListedPlan,
  ListedProgram,
  ProgramList,
} from './app/project/list-programs.js';
export type { ProgramSource } from './app/project/preparation.js';
export {
  type DamagePosition,
  type Done,
  OperationRefused,
  type Refusal,
  type RefusalCode,
  type Refused,
  type Result,
  unwrap,
} from './app/result.js';
export type {
  AppliedRun,
  ApplyOptions,
  ByPerson,
  CancelledRun,
  DamagedEvents,
  Delivered,
  DeliverOptions,
  Drift,
  EventLine,
  EventStream,
  Execution,
  Follow,
  FoundRun,
  Inspected,
  LimitList,
  ListedSchedule,
  OutputOptions,
  OutputStream,
  PrintedOptions,
  PrintedOutput,
  PrintedStream,
  ReachedAccountLimit,
  RecordedEvent,
  RemovedRun,
  RemovedRuns,
  RemoveOptions,
  ReportScope,
  RunFiles,
  RunFilter,
  RunList,
  RunProgram,
  Runs,
  ScheduleList,
  ShownRun,
  StartedRun,
  StreamEnd,
} from './app/runs.js';
export { openRuns, run } from './editor/dap/attachable-runs.js';
export {
  type EngineClientOptions,
  type EngineEvents,
  type EngineRuns,
  type EngineServicesOptions,
  engineClient,
  engineServices,
  type ReportAtEnd,
  type SubmitOptions,
} from './engine/runs/library-engine.js';
export type {
  AgentFacts,
  BrokenGuard,
  DeniedCall,
  EffectKind,
  FailureCause,
  FailureFacts,
  GrantedAttempt,
  HeldFailure,
  KeptOutcome,
  KeptOutcomes,
  Outcome,
  Output,
  OwnRetries,
  PerformedCall,
  PipeMember,
  ProcessOutput,
  RefusedAnswer,
  RunError,
  RunEvent,
  RunResumed,
  ShownValues,
  SpentAmount,
  Through,
  TokenCounts,
  Unavailable,
  Waiting,
} from './interpreter/events/event.js';
export type { RolledBack, UndoFacts } from './interpreter/events/facts.js';
export type { StoredLimits } from './interpreter/events/stored-limits.js';
export type { CallReport } from './interpreter/plan/engine/plan-entry.js';
export type { PlanCheck } from './interpreter/plan/engine/plan-node.js';
export type { CallRecord, CallStatus } from './interpreter/plan/scheduler/plan-data.js';
export type { AbsenceReason } from './interpreter/plan/scheduler/resolve-parameter.js';
export type { Difference } from './interpreter/record/replay.js';
export type {
  AgentGuards,
  AgentRequest,
  ArgvRequest,
  AskRequest,
  CommandRequest,
  EffectRequest,
  FunctionRequest,
  MergedTask,
  RequestHeader,
  SampleRequest,
  SchemaRequest,
  SessionOrigin,
  ShellRequest,
  ShellValue,
  SignalRequest,
  StepMemo,
  TimerRequest,
  ToolCall,
  ToolRequest,
  WorktreeAction,
  WorktreeRequest,
} from './interpreter/request.js';
export type { Printed } from './interpreter/values/json.js';
export type { AgentLookups, AgentTraits, GateCommand, Lookups } from './language/check/lower/lowered-state.js';
export type { Span } from './language/source/diagnostic.js';
export type { Filter, Json, ShellContext, ShellInsertion, ShellPipe, ShellText } from './machine/expression.js';
export type { Decoding, ExceededScope, Input, LimitScope, Limits, Strictness } from './machine/machine.js';
export type { ToolProgram } from './machine/plan.js';
export type { AgentConfiguration } from './runtime/agents/programs/adapter.js';
export type { Permission } from './runtime/agents/programs/permissions.js';
export type { AgentSettings, DailyBudget, TrialBudget } from './runtime/agents/resolve.js';
export type { CommandContext, CommandFunction } from './runtime/command-function.js';
export type { PerformedRequest, RunContext } from './runtime/effect-context.js';
export type { InspectedRun } from './runtime/inspect-run.js';
export type { ListedRun } from './runtime/list-runs.js';
export type { MemoOptions } from './runtime/memo.js';
export type { Script, ScriptedAnswer } from './runtime/pretended-world.js';
export type { Ending, LimitReached, Tokens, Wait } from './runtime/record/record-facts.js';
export type { AttemptStatus, RecordedStep } from './runtime/record/step-stories.js';
export type { FirstFailure, KnownEffect } from './runtime/run/again/find-resume-point.js';
export type { GoingBack } from './runtime/run/again/refuse-resume.js';
export type { AskHandler, EventPosition, Question } from './runtime/run/drive-options.js';
export type { InDoubt } from './runtime/run/in-doubt.js';
export type { OnlyReport } from './runtime/run/only-part.js';
export type { Started } from './runtime/run/run-options.js';
export type { ReportedStep, RunReport } from './runtime/run/run-report.js';
export type { AwaitedWorker, RunWhereabouts } from './runtime/run/run-whereabouts.js';
export type { AnsweredHow, Delivery } from './runtime/store/inbox.js';
export { type JournalRecord, journalLine, LineBuffer, readJournalLine } from './runtime/store/journal-line.js';
export type { ScheduleOutcome } from './runtime/store/kept-schedules.js';
export type { RecordHead, RunFacts } from './runtime/store/run-header.js';
export { RunRefused } from './runtime/store/store-error.js';
export type { RunStatus } from './runtime/store/stored-run.js';
export type { McpServers } from './runtime/tools/mcp-tool.js';
export type { RecordProblem, VerifiedRecord } from './runtime/verify-record.js';
export type { ChangedFileFacts, RunChanges } from './runtime/worktree/apply/preview.js';
export type { WorktreeFacts } from './runtime/worktree/worktree-facts.js';
export type { DiagnosticJson, FixJson, LocatedEdit, Location } from './views/diagnostics/diagnostic-json.js';
export type { DetailedAttempt } from './views/report/detailed-attempt.js';
export type {
  DeniedRow,
  PipeRow,
  Report,
  ReportedDamage,
  ReportedRun,
  StateRow,
  ToolRow,
  WaitRow,
} from './views/report/report.js';
export type { Detail, DetailedVisit } from './views/report/report-detail.js';
export type { RollbackRow, Spending, UndoneRow, UndoReport } from './views/report/undo-rows.js';
export type { DetailedGate, DetailedStep, DetailedStepAttempt } from './views/steps/step-detail.js';
export type { StepRow } from './views/steps/step-rows.js';
