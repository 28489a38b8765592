/**
 * Decodes answers of agents for a split or a validation. Agents put the requested JSON into fences and sentences, so it is
 * searched for there, and must have the right shape.
 */
import { readJson } from '../values/json.js';
import { isList, isObject, member, type Value } from '../values/value.js';

type CheckedAnswer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

interface Verdict {
  readonly pass: boolean;
  readonly comments: string;
}

/** A task of a split. */
interface SplitTask {
  readonly name: string;
  readonly description: string;
  readonly files: readonly string[];
}

const fence = /```[^\n]*\n([\s\S]*?)```/g;

/** How many brackets are tried as the start of JSON: the text around it may have brackets too. */
const MOST_TRIES = 50;

/** Every JSON value that begins with `open`, in the order of the text. */
function* values(text: string, open: '[' | '{'): Generator<Value> {
  const whole = readJson(text.trim());
  if (whole.ok) {
    yield whole.value;
    return;
  }
  for (const match of text.matchAll(fence)) {
    const read = readJson((match[1] as string).trim());
    if (read.ok) yield read.value;
  }
  const close = open === '[' ? ']' : '}';
  let tries = 0;
  for (let at = text.indexOf(open); at >= 0 && tries < MOST_TRIES; tries++) {
    const end = findClosing(text, at, open, close);
    const read = end < 0 ? null : readJson(text.slice(at, end));
    if (read?.ok) yield read.value;
    at = text.indexOf(open, read?.ok ? end : at + 1);
  }
}

/** The end of the value that begins at `at`, ignoring brackets in JSON strings; -1 if it is not closed. */
function findClosing(text: string, at: number, open: string, close: string): number {
  let depth = 0;
  let quoted = false;
  for (let i = at; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c === '\\') i++;
      else if (c === '"') quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === open) depth++;
    else if (c === close && --depth === 0) return i + 1;
  }
  return -1;
}

/** The last one counts, because an answer comes after what was considered. */
function find<T>(
  text: string,
  open: '[' | '{',
  shape: (value: Value) => CheckedAnswer<T>,
  what: string,
): CheckedAnswer<T> {
  let best: CheckedAnswer<T> | null = null;
  for (const value of values(text, open)) {
    const answer = shape(value);
    if (answer.ok || best?.ok !== true) best = answer;
  }
  return best ?? { ok: false, why: `there is no ${what} in it` };
}

/** The tasks of a split, a list of `{name, description, files?}`, or the first problem. */
export function readTasks(text: string): CheckedAnswer<readonly SplitTask[]> {
  return find(text, '[', tasksOf, 'JSON list of tasks');
}

function tasksOf(value: Value): CheckedAnswer<readonly SplitTask[]> {
  const list = isObject(value) ? (member(value, 'tasks') ?? member(value, 'items')) : value;
  if (list === undefined || !isList(list)) return { ok: false, why: 'it is not a list of tasks' };
  const tasks: SplitTask[] = [];
  const names = new Set<string>();
  for (const [index, item] of list.entries()) {
    const task = taskOf(item, index);
    if (!task.ok) return task;
    if (names.has(task.value.name)) return { ok: false, why: `two tasks are called \`${task.value.name}\`` };
    names.add(task.value.name);
    tasks.push(task.value);
  }
  return { ok: true, value: tasks };
}

function taskOf(item: Value, index: number): CheckedAnswer<SplitTask> {
  const which = `task ${index + 1}`;
  if (!isObject(item)) return { ok: false, why: `${which} is not an object` };
  const name = member(item, 'name');
  const description = member(item, 'description');
  const files = member(item, 'files');
  if (typeof name !== 'string' || name.trim() === '') return { ok: false, why: `${which} has no name` };
  if (!/^[A-Za-z0-9_-](?:[A-Za-z0-9_ -]*[A-Za-z0-9_-])?$/.test(name))
    return {
      ok: false,
      why: `the name \`${name.slice(0, 60)}\` has characters other than letters, digits, \`_\`, \`-\` and spaces`,
    };
  if (typeof description !== 'string') return { ok: false, why: `${which} has no description` };
  if (files === undefined || files === null) return { ok: true, value: { name, description, files: [] } };
  if (!isList(files) || files.some((file) => typeof file !== 'string'))
    return { ok: false, why: `\`files\` of ${which} is not a list of names` };
  return { ok: true, value: { name, description, files: files as readonly string[] } };
}

/** The answer of a validation: `{pass, comments}`, or only true or false. */
export function readVerdict(text: string): CheckedAnswer<Verdict> {
  const word = text.trim();
  if (word === 'true' || word === 'false') return { ok: true, value: { pass: word === 'true', comments: '' } };
  return find(text, '{', verdictOf, 'JSON object with `pass`');
}

function verdictOf(value: Value): CheckedAnswer<Verdict> {
  if (!isObject(value)) return { ok: false, why: 'it is not an object with `pass`' };
  const pass = member(value, 'pass');
  const comments = member(value, 'comments');
  if (typeof pass !== 'boolean') return { ok: false, why: '`pass` is not true or false' };
  if (comments === undefined || comments === null) return { ok: true, value: { pass, comments: '' } };
  if (typeof comments === 'string') return { ok: true, value: { pass, comments } };
  if (isList(comments) && comments.every((one) => typeof one === 'string'))
    return { ok: true, value: { pass, comments: comments.join('\n') } };
  return { ok: false, why: '`comments` is not a text' };
}
