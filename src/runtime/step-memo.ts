/**
 * The memo of steps. A step is remembered as a whole once it has passed: by its first request, with its last answer and with
 * all that it changed in the worktree. What will be remembered is in the folder of the run until then, so that neither a
 * crash nor a retry loses it.
 */
import { Buffer } from 'node:buffer';
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Outcome, RunEvent } from '../interpreter/events/event.js';
import type { AgentRequest, WorktreeRequest } from '../interpreter/request.js';
import type { Json } from '../machine/expression.js';
import type { EffectContext } from './effect-context.js';
import {
  isSuccess,
  keptForm,
  type MemoHost,
  type MemoRequest,
  MOST_REMEMBERED,
  memoFile,
  memoFolder,
  type Remembered,
  readMemo,
  writeMemo,
  writeOwnWhole,
} from './memo.js';
import { sha256Hex } from './sha256.js';
import { readOwn } from './store/own-file.js';
import type { Worktree } from './worktree/checkout.js';
import { GitFailure } from './worktree/git/git.js';
import { applyChange, changeBetween } from './worktree/git/portable-change.js';

type StepRequest = MemoRequest & AgentRequest;

/** A step that has begun and is not known. */
interface BegunStep {
  /** The name of its file in the memo. */
  readonly file: string;
  readonly effect: string;
  /** Of the last request that was answered, with what it answered. */
  readonly answer?: { readonly attempt: number; readonly outcome: Outcome };
  /** Absent: the step has no worktree. */
  readonly change?: string | null;
}

/** The outcome of an agent of a step, whose changes are made again. */
export async function rememberStep(
  request: StepRequest,
  context: EffectContext,
  host: MemoHost & { readonly folder: string },
  perform: () => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const { step = '', memo, stepAttempt = 1, effect } = request;
  const { worktrees } = context.resources;
  const { isFirst, changesFiles } = memo.step ?? { isFirst: true, changesFiles: false };
  if (worktrees === null && changesFiles) {
    if (isFirst) context.notice?.('without a worktree it is not known what the step changes, so it is not remembered');
    return perform();
  }
  const begunAt = begunFile(host.folder, step);
  if (isFirst) {
    const file = memoFile(request, context, host);
    const known = host.fresh ? null : readMemo(file, request, context, host);
    if (known !== null && (await isMadeAgain(known, request, context))) {
      rmSync(begunAt, { force: true });
      return known.outcome;
    }
    write(begunAt, { file: basename(file), effect });
  }
  const begun = read(begunAt);
  const outcome = await perform();
  if (begun === null || context.stop.aborted || !isSuccess(request, outcome)) return outcome;
  const own = keptForm(outcome, context, host);
  if (own === null) rmSync(begunAt, { force: true });
  else write(begunAt, { ...begun, answer: { attempt: stepAttempt, outcome: own }, ...(worktrees && { change: null }) });
  return outcome;
}

/** False: the files have changed so much that the change does not fit them, and nothing was done. */
async function isMadeAgain(known: Remembered, request: StepRequest, context: EffectContext): Promise<boolean> {
  const { worktrees } = context.resources;
  if (worktrees === null || known.change === undefined) return true;
  const folder = request.directory ?? context.cwd;
  const leave = await worktrees.enter(folder, request);
  try {
    const why = await makeAgain(worktrees.at(folder), Buffer.from(known.change, 'base64'));
    if (why === null) return true;
    context.notice?.(`what the step changed before does not fit the files any more (${why}), so the agent is asked`);
    return false;
  } finally {
    leave();
  }
}

async function makeAgain(worktree: Worktree, change: Buffer): Promise<string | null> {
  try {
    return await applyChange(worktree, change);
  } catch (cause) {
    if (cause instanceof GitFailure) return cause.message;
    throw cause;
  }
}

type ChangeHost = Pick<MemoHost, 'redactor'> & { readonly folder: string };

/** Commits what an attempt of a step has changed. The outcome is given when that may be remembered. */
export async function performChange(
  request: WorktreeRequest,
  context: EffectContext,
  host: ChangeHost,
  perform: () => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const outcome = await perform();
  await rememberChange(request, outcome, context, host);
  return outcome;
}

async function rememberChange(
  { action }: WorktreeRequest,
  outcome: Outcome,
  context: EffectContext,
  { folder, redactor }: ChangeHost,
): Promise<void> {
  const { worktrees } = context.resources;
  if (action.do !== 'snapshot' || action.memo === undefined || outcome.kind !== 'changed' || worktrees === null) return;
  const begunAt = begunFile(folder, action.memo.step);
  const begun = read(begunAt);
  if (begun?.answer?.attempt !== action.memo.attempt) return;
  const { from } = action;
  try {
    const made = await changeBetween(worktrees.main, { from, to: outcome.commit, maxBytes: MOST_REMEMBERED });
    const text = made?.toString('latin1') ?? '';
    if (made === null) return forget(begunAt, 'the step changed too much to be remembered', context);
    // In UTF-8 as well, because a secret may have any characters.
    const hasSecret = [text, made.toString('utf8')].some((one) => redactor !== null && redactor.text(one) !== one);
    if (hasSecret) return forget(begunAt, 'the step wrote a secret into a file, so it is not remembered', context);
    write(begunAt, { ...begun, change: made.toString('base64') });
  } catch (cause) {
    if (!(cause instanceof GitFailure)) throw cause;
    forget(begunAt, `the step cannot be remembered: ${cause.message}`, context);
  }
}

function forget(begunAt: string, why: string, context: EffectContext): void {
  rmSync(begunAt, { force: true });
  context.notice?.(why);
}

/** A step has ended: only one that has passed is remembered. */
export function rememberEnd(
  { step, attempt, status }: Extract<RunEvent, { type: 'step_completed' }>,
  { folder, store, runId }: { readonly folder: string; readonly store: string; readonly runId: string },
): void {
  const begunAt = begunFile(folder, step);
  const begun = read(begunAt);
  if (begun === null) return;
  const { file, effect, answer, change } = begun;
  if (status === 'pass' && answer?.attempt === attempt && change !== null)
    writeMemo(
      join(memoFolder(store), file),
      { outcome: answer.outcome, ...(change === undefined ? {} : { change }) },
      { effect, context: { runId } },
    );
  rmSync(begunAt, { force: true });
}

/** A folder in the folder of the run. */
const BEGUN_STEPS = 'steps-begun';

const begunFile = (folder: string, step: string): string => join(folder, BEGUN_STEPS, `${sha256Hex(step)}.json`);

/** Null: there is none, or it cannot be used. */
function read(begunAt: string): BegunStep | null {
  try {
    return JSON.parse(readOwn(begunAt).toString('utf8')) as BegunStep;
  } catch {
    return null;
  }
}

function write(begunAt: string, begun: BegunStep): void {
  try {
    writeOwnWhole(begunAt, JSON.stringify(begun satisfies object as unknown as Json));
  } catch {
    // A full disk stops the run at its journal. The memo alone never does.
    rmSync(begunAt, { force: true });
  }
}
