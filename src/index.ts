/** The library: compile a text, run a machine. Everything a program that embeds this needs is exported here. */
export { type Compilation, type CompileOptions, compile } from './check/compile.js';
export type { AgentLookups, GateCommand, Lookups } from './check/lower/settings.js';
export { parseFile } from './frontends/parse-file.js';
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
export type { Json } from './machine/expression.js';
export type { Input, Limits, Machine, State } from './machine/machine.js';
export type { AgentConfiguration } from './runtime/agents/programs/adapter.js';
export type { AgentSettings } from './runtime/agents/resolve.js';
export type { CommandContext, CommandFunction } from './runtime/command-function.js';
export type { EffectContext, Effects, PerformedRequest } from './runtime/effect-context.js';
export { type HostOptions, hostEffects } from './runtime/effects.js';
export {
  checkDrift,
  type DriftOptions,
  type DriftReport,
  type ReplayOptions,
  replay,
} from './runtime/run/again/replay-run.js';
export { recordDelivery, resume } from './runtime/run/again/resume.js';
export type { InDoubt, ResumeOptions } from './runtime/run/again/resume-options.js';
export type { AskHandler, EventPlace, Question } from './runtime/run/drive-options.js';
export type { RunReport } from './runtime/run/report.js';
export { type RunOptions, run } from './runtime/run/run.js';
export { type Script, type ScriptedAnswer, scriptedEffects } from './runtime/scripted-effects.js';
export {
  fileJournal,
  type Journal,
  type MemoryJournal,
  memoryJournal,
  type OpenJournal,
} from './runtime/store/journal.js';
export { type JournalRecord, journalLine, readJournalLine } from './runtime/store/journal-line.js';
export type { RunHeader } from './runtime/store/run-header.js';
export { RunRefused } from './runtime/store/run-refused.js';
export type { RunFolder } from './runtime/store/store.js';
export type { Diagnostic } from './source/diagnostic.js';
