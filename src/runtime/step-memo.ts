/**
 * The memo of steps. A step is remembered as a whole once it has passed: by its first request, with its last answer and with
 * all that it changed in the worktree. What will be remembered is in the folder of the run until then, so that neither a
 * crash nor a retry loses it.
 */
import { Buffer } from 'node:buffer';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome, RunEvent } from '../interpreter/events/event.js';
import type { AgentRequest, WorktreeRequest } from '../interpreter/request.js';
import type { Json } from '../machine/expression.js';
import type { EffectContext } from './effect-context.js';
import {
  isSuccess,
  keptForm,
  type MemoHost,
  type MemoRequest,
  type MemoStorage,
  memoName,
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
  /** Its name in the memo. */
  readonly name: string;
  readonly effect: string;
  /** Of the last request that was answered, with what it answered. */
  readonly answer?: { readonly attempt: number; readonly outcome: Outcome };
  /** Absent: the step has no worktree. */
  readonly change?: string | null;
}

/** Where steps of a run are that have begun, by their names. Nothing rejects. */
export interface BegunSteps {
  /** Null: there is none, or it cannot be used. */
  read(step: string): Promise<string | null>;
  /** Null: it is none any more. */
  write(step: string, text: string | null): Promise<void>;
}

/** What remembers steps as wholes. */
export interface StepMemoHost extends MemoHost {
  readonly begun: BegunSteps;
}

/** The outcome of an agent of a step, whose changes are made again. */
export async function rememberStep(
  request: StepRequest,
  context: EffectContext,
  host: StepMemoHost,
  perform: () => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const { step = '', memo, stepAttempt = 1, effect } = request;
  const { worktrees } = context.resources;
  const { isFirst, changesFiles } = memo.step ?? { isFirst: true, changesFiles: false };
  if (worktrees === null && changesFiles) {
    if (isFirst) context.notice?.('without a worktree it is not known what the step changes, so it is not remembered');
    return perform();
  }
  if (isFirst) {
    const name = memoName(request, context, host);
    const known = host.fresh ? null : await readMemo(name, request, context, host);
    if (known !== null && (await isMadeAgain(known, request, context))) {
      await host.begun.write(step, null);
      return known.outcome;
    }
    await write(host, step, { name, effect });
  }
  const begun = await read(host, step);
  const outcome = await perform();
  if (begun === null || context.stop.aborted || !isSuccess(request, outcome)) return outcome;
  const own = keptForm(outcome, context, host);
  const answer = own === null ? null : { attempt: stepAttempt, outcome: own };
  await write(host, step, answer === null ? null : { ...begun, answer, ...(worktrees && { change: null }) });
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

type ChangeHost = Pick<StepMemoHost, 'redactor' | 'begun' | 'storage'>;

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
  host: ChangeHost,
): Promise<void> {
  const { redactor, storage } = host;
  const { worktrees } = context.resources;
  if (action.do !== 'snapshot' || action.memo === undefined || outcome.kind !== 'changed' || worktrees === null) return;
  const { step } = action.memo;
  const begun = await read(host, step);
  const forget = async (why: string): Promise<void> => {
    await host.begun.write(step, null);
    context.notice?.(why);
  };
  if (begun?.answer?.attempt !== action.memo.attempt) return;
  const { from } = action;
  try {
    const made = await changeBetween(worktrees.main, { from, to: outcome.commit, maxBytes: storage.most });
    const text = made?.toString('latin1') ?? '';
    if (made === null) return await forget('the step changed too much to be remembered');
    // In UTF-8 as well, because a secret may have any characters.
    const hasSecret = [text, made.toString('utf8')].some((one) => redactor !== null && redactor.text(one) !== one);
    if (hasSecret) return await forget('the step wrote a secret into a file, so it is not remembered');
    await write(host, step, { ...begun, change: made.toString('base64') });
  } catch (cause) {
    if (!(cause instanceof GitFailure)) throw cause;
    await forget(`the step cannot be remembered: ${cause.message}`);
  }
}

/** A step has ended: only one that has passed is remembered. */
export async function rememberEnd(
  { step, attempt, status }: Extract<RunEvent, { type: 'step_completed' }>,
  host: { readonly begun: BegunSteps; readonly storage: MemoStorage; readonly runId: string },
): Promise<void> {
  const { storage, runId } = host;
  const begun = await read(host, step);
  if (begun === null) return;
  const { name, effect, answer, change } = begun;
  if (status === 'pass' && answer?.attempt === attempt && change !== null)
    await writeMemo(
      name,
      { outcome: answer.outcome, ...(change === undefined ? {} : { change }) },
      { effect, context: { runId }, storage },
    );
  await host.begun.write(step, null);
}

/** A folder in the folder of the run. */
const BEGUN_STEPS = 'steps-begun';

/** The steps of a run that has a folder. */
export function begunIn(folder: string): BegunSteps {
  const fileOf = (step: string): string => join(folder, BEGUN_STEPS, `${sha256Hex(step)}.json`);
  const remove = (step: string): void => rmSync(fileOf(step), { force: true });
  return {
    async read(step) {
      try {
        return readOwn(fileOf(step)).toString('utf8');
      } catch {
        return null;
      }
    },
    async write(step, text) {
      if (text === null) return remove(step);
      try {
        writeOwnWhole(fileOf(step), text);
      } catch {
        // A full disk stops the run at its journal. The memo alone never does.
        remove(step);
      }
    },
  };
}

type StepHost = Pick<StepMemoHost, 'begun'>;

/** Null: there is none, or it cannot be used. */
async function read({ begun }: StepHost, step: string): Promise<BegunStep | null> {
  try {
    return JSON.parse((await begun.read(step)) ?? 'null') as BegunStep | null;
  } catch {
    return null;
  }
}

function write({ begun }: StepHost, step: string, state: BegunStep | null): Promise<void> {
  return begun.write(step, state === null ? null : JSON.stringify(state satisfies object as unknown as Json));
}
