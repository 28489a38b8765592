/**
 * The audit of a run: who did what, when, and why, made from its record and proved by its chain. Each entry is one JSON object,
 * described by `grammar/audit.schema.json`; texts of prompts and outputs are left out, and their digests are there instead.
 */
import type { AgentFacts, Outcome, RunEvent } from '../../interpreter/events/event.js';
import type { Printed } from '../../interpreter/values/json.js';
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { sha256Hex } from '../../runtime/sha256.js';
import type { JournalRecord } from '../../runtime/store/journal-line.js';
import { type StoredRun, storedSources } from '../../runtime/store/stored-run.js';
import { type VerifiedRecord, verifyRecord } from '../../runtime/verify-record.js';

/** A line of `statedsl export audit`. Next to `value` and `inputs`, `printed_…` has their JSON if its numbers were written differently. */
export interface AuditEntry {
  readonly entry: 'run' | 'agent' | 'command' | 'decision' | 'execution' | 'end' | 'chain';
  readonly [member: string]: Json;
}

/** Which version of the schema the entries follow. */
const VERSION = 1;

/** All entries, in the order of the record. `key`: the public key with which the record must be signed. */
export function auditOf(directory: string, stored: StoredRun, key?: string): readonly AuditEntry[] {
  const { inputs: given, options } = stored.about;
  const entries: AuditEntry[] = [runEntry(stored, given, options.printed_inputs)];
  const audit = new Audit();
  const isChained = stored.about.chain !== undefined;
  const verified = verifyRecord(directory, stored, {
    key,
    take: (record, hash) => {
      // With the defaults of those that were not given.
      if (record.event.type === 'run_started') entries[0] = runEntry(stored, record.event.inputs, record.event.printed);
      for (const entry of audit.take(record)) entries.push({ ...entry, ...(isChained ? { hash: hash() } : {}) });
    },
  });
  return [...entries, ...audit.withoutOutcome(), chainEntry(verified)];
}

function runEntry(stored: StoredRun, inputs: Readonly<Record<string, Json>>, printed: Printed | undefined): AuditEntry {
  const { about } = stored;
  return entryOf({
    entry: 'run',
    version: VERSION,
    run_id: about.run_id,
    machine: about.machine,
    program: about.program,
    program_digest: about.digest,
    sources: storedSources(stored).map(({ name, text }) => ({ name, sha256: sha256Hex(text) })),
    ...{ inputs, printed_inputs: printed },
    started_at: about.started_at,
    started_by: about.options.started_by ?? null,
    cwd: about.cwd,
    copy_of: (about.settings.replay_of as string | undefined) ?? null,
    statedsl: about.versions.statedsl,
  });
}

function chainEntry({ status, words, events, head, signed, problems, notes }: VerifiedRecord): AuditEntry {
  return { entry: 'chain', status, words, events, head, signed, problems, notes } as unknown as AuditEntry;
}

type AuditedRequest = Extract<RunEvent, { type: 'effect_requested' }>;

class Audit {
  private readonly open = new Map<
    string,
    { readonly seq: number; readonly ts: string; readonly event: AuditedRequest }
  >();

  take({ seq, time: ts, event }: JournalRecord): AuditEntry[] {
    const at = { seq, ts };
    switch (event.type) {
      case 'effect_requested':
        this.open.set(event.effect, { ...at, event });
        return [];
      case 'effect_settled': {
        const begun = this.open.get(event.effect);
        this.open.delete(event.effect);
        const entry = begun === undefined ? null : this.effectEntry(begun, event.outcome, at);
        return entry === null ? [] : [{ ...entry, ...(event.stopped === true ? { stopped: true } : {}) }];
      }
      case 'answered':
      case 'answer_refused': {
        const { id = null, name, by, through = null, reason = null } = event;
        const kind = event.type === 'answered' ? 'answer' : 'refused_answer';
        return [entryOf({ entry: 'decision', ...at, kind, name, id, ...writtenValue(event), by, through, reason })];
      }
      case 'signal_received': {
        const { id = null, name, payload: value, printed, by } = event;
        const given = { name, id, ...writtenValue({ value, printed }), by, through: null, reason: null };
        return [entryOf({ entry: 'decision', ...at, kind: 'signal', ...given })];
      }
      case 'run_cancelled':
      case 'rollback_started':
        return [
          { entry: 'decision', ...at, kind: event.type === 'run_cancelled' ? 'cancel' : 'rollback', ...by(event) },
        ];
      case 'variable_changed': {
        const { name, by } = event;
        const given = { name, id: null, ...writtenValue(event), by, through: null, reason: null };
        return [entryOf({ entry: 'decision', ...at, kind: 'change', ...given })];
      }
      case 'run_started':
        return [{ entry: 'execution', ...at, kind: 'started', by: event.by ?? null, program_digest: event.digest }];
      case 'run_resumed': {
        const { digest: program_digest, from: repeats_from, of: copy_of } = event;
        const facts = omitUndefined({ program_digest, repeats_from, copy_of });
        return [{ entry: 'execution', ...at, kind: 'resumed', by: event.by, ...facts }];
      }
      case 'run_suspended':
        return [{ entry: 'execution', ...at, kind: 'suspended', by: null }];
      case 'run_interrupted':
        return [{ entry: 'execution', ...at, kind: 'interrupted', by: null }];
      case 'run_returned':
        return [entryOf({ entry: 'end', ...at, status: 'returned', ...writtenValue(event), error: null })];
      case 'run_skipped':
        return [{ entry: 'end', ...at, status: 'skipped', value: null, error: null }];
      case 'run_failed': {
        const { kind, message } = event.error;
        return [entryOf({ entry: 'end', ...at, status: 'failed', ...writtenValue(event), error: { kind, message } })];
      }
      default:
        return [];
    }
  }

  /** What was started and has no outcome on record. */
  withoutOutcome(): AuditEntry[] {
    return [...this.open.values()].flatMap((begun) => this.effectEntry(begun, null, null) ?? []);
  }

  private effectEntry(
    { seq, ts, event }: { readonly seq: number; readonly ts: string; readonly event: AuditedRequest },
    outcome: Outcome | null,
    ended: { readonly seq: number; readonly ts: string } | null,
  ): AuditEntry | null {
    const { effect, kind, attempt, state, line, step = null } = event;
    const at = { seq: ended?.seq ?? seq, requested: seq, ts, ended_at: ended?.ts ?? null };
    const where = { effect, attempt, state, line, step };
    const result = { ...resultOf(outcome), ...sourceOf(outcome) };
    if (kind === 'agent') {
      const { cost = null, tokens = null, session_id: session = null, model = null, tool_calls } = agentFacts(outcome);
      const prompt_sha256 = event.prompt === undefined ? (event.artifact ?? null) : sha256Hex(event.prompt);
      const spent = { cost, tokens, session, answer_sha256: outputDigest(outcome), ...omitUndefined({ tool_calls }) };
      return entryOf({ entry: 'agent', ...at, ...where, agent: event.tool, model, prompt_sha256, ...result, ...spent });
    }
    if (kind !== 'shell' && kind !== 'argv' && kind !== 'function' && kind !== 'tool') return null;
    const command = { kind, tool: event.tool, text: event.text, values: event.args ?? [] };
    const undo = event.undo === true ? { undo: true } : {};
    const output_sha256 = outputDigest(outcome);
    return entryOf({ entry: 'command', ...at, ...where, ...command, ...undo, ...result, output_sha256 });
  }
}

const entryOf = (entry: object): AuditEntry => omitUndefined(entry) as AuditEntry;

/** A value, and its text where JSON would lose how a number in it was written. */
const writtenValue = ({ value = null, printed }: { readonly value?: Json; readonly printed?: string | undefined }) => ({
  value,
  printed_value: printed,
});

/** SHA-256 of what it printed or gave. */
function outputDigest(outcome: Outcome | null): string | null {
  if (outcome === null) return null;
  if (outcome.kind === 'value') return sha256Hex(outcome.printed ?? JSON.stringify(outcome.value));
  if (!('stdout' in outcome)) return null;
  const { text, base64, artifact } = outcome.stdout;
  if (artifact !== undefined) return artifact;
  if (text !== undefined) return sha256Hex(text);
  return base64 === undefined ? null : sha256Hex(Buffer.from(base64, 'base64'));
}

const by = ({ by }: { readonly by: string }) => ({
  name: null,
  id: null,
  value: null,
  by,
  through: null,
  reason: null,
});

function resultOf(outcome: Outcome | null): {
  readonly result: string;
  readonly exit: number | null;
  readonly error: string | null;
} {
  if (outcome === null) return { result: 'unknown', exit: null, error: null };
  const exit = 'exit' in outcome ? (outcome.exit ?? null) : null;
  const error = outcome.kind === 'failed' ? outcome.message : outcome.kind === 'not-started' ? outcome.reason : null;
  return { result: outcome.kind, exit, error };
}

/** Where an outcome comes from for which nothing was started. */
function sourceOf(outcome: Outcome | null): { readonly remembered_from?: string; readonly given_by?: string } {
  if (outcome === null) return {};
  const remembered_from = 'memo' in outcome ? outcome.memo : undefined;
  const given_by = 'by' in outcome ? outcome.by : undefined;
  return omitUndefined({ remembered_from, given_by });
}

function agentFacts(outcome: Outcome | null): AgentFacts {
  return outcome !== null && (outcome.kind === 'exited' || outcome.kind === 'timed-out') ? outcome : {};
}
