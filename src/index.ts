/** The library: everything that a program which embeds statedsl needs, and nothing else. `grammar/library.md` explains it. */
export type { AgentLookups, GateCommand, Lookups } from './check/lower/settings.js';
export type {
  AgentFacts,
  BrokenGuard,
  EffectKind,
  FailureFacts,
  Outcome,
  Output,
  RunError,
  RunEvent,
  TokenCounts,
  Unavailable,
  Waiting,
} from './interpreter/events/event.js';
export type {
  AgentGuards,
  AgentRequest,
  ArgvRequest,
  EffectRequest,
  FunctionRequest,
  SampleRequest,
  ShellRequest,
  TimerRequest,
} from './interpreter/request.js';
export {
  type Compilation,
  type CompileOptions,
  compile,
  type Input,
  type Limits,
  type Machine,
  type Parser,
  parseFile,
} from './library/compile.js';
export {
  type Diagnostic,
  type DiagnosticJson,
  diagnosticsToJson,
  type Findings,
  formatDiagnostics,
  type LocatedEdit,
  type Location,
  type Source,
  type Span,
} from './library/diagnostics.js';
export {
  type EffectContext,
  type Effects,
  type HostOptions,
  hostEffects,
  type McpServers,
  type RunResources,
  type Script,
  type ScriptedAnswer,
  scriptedEffects,
} from './library/effects.js';
export {
  fileJournal,
  type Journal,
  type MemoryJournal,
  memoryJournal,
  type OpenJournal,
  type RunFolder,
  type RunHeader,
} from './library/journal.js';
export { openProject } from './library/open-project.js';
export {
  type CheckedProgram,
  type CheckOptions,
  type Formatted,
  type GraphOptions,
  type ListedInput,
  type ListedPattern,
  type ListedProgram,
  type ListedRun,
  type ProgramList,
  ProgramRefused,
  type Project,
  type ProjectOptions,
  type ProjectReplayOptions,
  type ProjectResumeOptions,
  type ProjectRunOptions,
} from './library/project.js';
export {
  checkDrift,
  type Delivery,
  type DriftOptions,
  type DriftReport,
  type EventPosition,
  type ExecutionOptions,
  type InDoubt,
  type ReplayOptions,
  type ResumeOptions,
  type RunOptions,
  recordDelivery,
  replay,
  resume,
  run,
  type Started,
} from './library/run-machine.js';
export type { Json } from './machine/expression.js';
export type { AgentConfiguration } from './runtime/agents/programs/adapter.js';
export type { AgentSettings } from './runtime/agents/resolve.js';
export type { CommandContext, CommandFunction } from './runtime/command-function.js';
export type { PerformedRequest } from './runtime/effect-context.js';
export type { AskHandler, Question } from './runtime/run/drive-options.js';
export type { RunReport } from './runtime/run/report.js';
export { type JournalRecord, journalLine, readJournalLine } from './runtime/store/journal-line.js';
export { RunRefused } from './runtime/store/run-refused.js';
