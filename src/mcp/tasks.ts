/**
 * Runs as tasks, for clients of the newer revision that have the extension: the id of a task is that of its run. The
 * library has no side of a server for it.
 */
import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { isOver } from '../interpreter/events/status-after.js';
import { type Caller, callerOf, requireRevision } from './caller.js';
import type { Door } from './door.js';
import { defaultsOf, FORM, filledForm, isQuestion, nameOf, questionForm } from './forms.js';
import { control } from './run-operations.js';
import { describeRun } from './run-view.js';
import type { ShortMembers } from './short-answer.js';
import { deliverForm, POLL_MS } from './tool-calls.js';
import { lookAt } from './until-it-stands.js';

const parameters = z.looseObject({ taskId: z.string().max(100) });
const updated = z.looseObject({
  taskId: z.string().max(100),
  inputResponses: z.record(z.string(), z.unknown()).optional(),
});

export function addTasks(door: Door, { server }: McpServer): void {
  server.setRequestHandler('tasks/get', { params: parameters }, ({ taskId }, context) => {
    requireRevision(context, 'modern');
    return taskOf(door, taskId, callerOf(context, server, 'modern')) as never;
  });
  server.setRequestHandler('tasks/update', { params: updated }, async ({ taskId, inputResponses }, context) => {
    requireRevision(context, 'modern');
    const caller = callerOf(context, server, 'modern');
    await update(door, taskId, { ...caller, responses: inputResponses ?? caller.responses });
    return {};
  });
  server.setRequestHandler('tasks/cancel', { params: parameters }, async ({ taskId }, context) => {
    requireRevision(context, 'modern');
    const { name, signal } = callerOf(context, server, 'modern');
    const given = { run_id: taskId, action: 'cancel', limits: {}, by: `agent ${name}`, signal } as const;
    const done = await control(door, given);
    if (!done.ok) throw unknownTask(done.refusal.message);
    return {};
  });
}

const unknownTask = (message: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

async function taskOf(door: Door, run_id: string, caller: Caller): Promise<ShortMembers> {
  const found = await lookAt(door, run_id);
  if (!found.ok) throw unknownTask(found.refusal.message);
  const { run } = found;
  const questions = run.waiting.filter(isQuestion);
  const common = {
    taskId: run.run_id,
    createdAt: run.started_at,
    lastUpdatedAt: run.at,
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  };
  if (questions.length > 0 && caller.canAsk && !door.isReadOnly) {
    const defaults = await defaultsOf(door.runs, run.run_id);
    const form = questionForm({ runId: run.run_id, program: run.machine, questions, defaults }, '');
    return { ...common, status: 'input_required', inputRequests: form.inputRequests as never };
  }
  if (isOver(run)) {
    const isCancelled = run.error?.kind === 'cancelled';
    const result = (await describeRun(door, found)) as never;
    // A run that failed is the answer of a tool that was called as it should be.
    return isCancelled ? { ...common, status: 'cancelled' } : { ...common, status: 'completed', result };
  }
  const { structuredContent = {} } = await describeRun(door, found);
  const { next } = structuredContent;
  return { ...common, status: 'working', ...(typeof next === 'string' ? { statusMessage: next } : {}) };
}

async function update(door: Door, run_id: string, caller: Caller): Promise<void> {
  const form = filledForm(caller);
  if (form.kind === 'refused') {
    if (form.how === 'missing') throw unknownTask(`\`inputResponses\` has no \`${FORM}\``);
    return;
  }
  const found = await lookAt(door, run_id);
  if (!found.ok) throw unknownTask(found.refusal.message);
  const names = found.run.waiting.filter(isQuestion).map(nameOf);
  const failed = await deliverForm(door, { run_id, names }, form, caller);
  if (failed !== null) throw unknownTask(failed.content[0]?.text ?? 'the form was not accepted');
}
