/**
 * A second, naive way to run a plan, which schedules nothing: one call after the other in the order of rank, on plain
 * JSON. Whatever a scheduler does at once, it must come to the same. Shares no code with the scheduler on purpose.
 */
import type { Json } from '../../../src/machine/expression.js';
import type { Parameter, Plan, PlanCall, PlanPath, Read } from '../../../src/machine/plan.js';

export interface Outcome {
  readonly kind: string;
  readonly value?: Json;
  readonly code?: Json;
  readonly message?: string;
}

interface Became {
  status: string;
  arm: number | null;
  reason: string | null;
}

/** `denied`: the path that a person denied. */
type Absent = { readonly absent: string; readonly denied?: string };
type Found = { readonly value: Json } | Absent;
type Members = { [key: string]: Json };

/** The first of these that a part of a parameter has decides about all of it. */
const ORDER = ['branch', 'denied', 'failed', 'unresolved', 'missing', 'waiting'];

export function runInSequence(plan: Plan, given: Json, perform: (call: number, parameters: Json) => Outcome) {
  const data = structuredClone(given);
  const became = new Map<number, Became>();
  const parameters: Record<number, Json> = {};
  for (const index of plan.order) {
    const call = plan.calls[index] as PlanCall;
    became.set(index, runCall(call));
  }
  return { parameters, statuses: plan.calls.map(({ index }) => became.get(index)), state: data };

  function runCall(call: PlanCall): Became {
    const satisfied = call.arms.findIndex((paths) => paths.every((path) => read(given, path) !== undefined));
    if (call.method === null && satisfied >= 0) return { status: 'satisfied', arm: satisfied, reason: null };
    const parts: Parameter[] = call.inline === null ? [call.parameters] : [call.parameters, call.inline];
    const found = resolve({ op: 'list', items: parts }, call);
    if ('absent' in found) return ruleOut(call, found);
    const outputs = call.arms.flat();
    if (call.method === null && outputs.length > 0 && outputs.every((path) => read(data, path) !== undefined))
      return { status: 'superseded', arm: null, reason: null };
    const [own, inline] = found.value as Json[];
    if (call.inline !== null) return write(call, call.arms.length === 0 ? -1 : 0, inline as Json);
    parameters[call.index] = structuredClone(own as Json);
    const outcome = perform(call.index, own as Json);
    const [arm, value] = choose(call, outcome);
    return arm === null ? { status: 'failed', arm, reason: null } : write(call, arm, value);
  }

  function ruleOut(call: PlanCall, { absent: reason, denied }: Absent): Became {
    switch (reason) {
      case 'denied': {
        const arm = call.arms.length < 2 || call.tool === 'none' ? null : call.arms.length - 1;
        if (arm === null) return { status: 'denied', arm, reason };
        const { status } = write(call, arm, { code: 'denied', message: `\`†${denied}\` was denied` });
        return status === 'done'
          ? { status: 'denied', arm, reason }
          : { status, arm: status === 'failed' ? null : arm, reason: null };
      }
      case 'unresolved':
        return { status: 'failed', arm: null, reason };
      case 'failed':
        return { status: 'blocked', arm: null, reason };
      case 'waiting':
        return { status: 'waiting', arm: null, reason };
      default:
        return { status: 'skipped', arm: null, reason };
    }
  }

  function choose({ arms, tool }: PlanCall, { kind, value, code, message }: Outcome): [number | null, Json] {
    if (kind === 'broken') return [null, null];
    if (kind === 'failure')
      return arms.length < 2 || tool === 'none'
        ? [null, null]
        : [arms.length - 1, { code: code as Json, message: message as string }];
    if (typeof value !== 'object' || value === null || !('_path' in value))
      return [arms.length === 0 ? -1 : 0, value as Json];
    const named = (value as Members)._path as number;
    return named < arms.length ? [named, (value as Members)._output as Json] : [null, null];
  }

  function write(call: PlanCall, arm: number, value: Json): Became {
    const all = call.arms[arm] ?? [];
    const paths = call.method === null ? all.filter((path) => read(data, path) === undefined) : all;
    if (all.length > 0 && paths.length === 0) return { status: 'superseded', arm, reason: null };
    if (paths.some((path) => !fits(path, call.method))) return { status: 'failed', arm: null, reason: null };
    for (const path of paths) put(path, value, call.method);
    return { status: 'done', arm: arm < 0 ? null : arm, reason: null };
  }

  function fits(path: PlanPath, method: PlanCall['method']): boolean {
    for (let depth = 1; depth < path.length; depth++) {
      const around = read(data, path.slice(0, depth));
      if (around === undefined) return true;
      if (typeof around !== 'object' || around === null) return false;
      if (Array.isArray(around) && Number(path[depth]) > around.length) return false;
    }
    const old = read(data, path);
    return method !== 'push' || old === undefined || Array.isArray(old);
  }

  function put(path: PlanPath, value: Json, method: PlanCall['method']): void {
    let at = data as Members;
    for (const step of path.slice(0, -1)) {
      if (at[step] === undefined) at[step] = {};
      at = at[step] as Members;
    }
    const last = path.at(-1) as string;
    const old = at[last];
    const copy = structuredClone(value);
    if (method === 'push') at[last] = [...((old as Json[] | undefined) ?? []), copy];
    else at[last] = method === 'merge' ? merge(old, copy) : copy;
  }

  function resolve(parameter: Parameter, call: PlanCall): Found {
    if (parameter.op === 'literal') return { value: parameter.value };
    if (parameter.op === 'read') return resolveRead(parameter.of, call);
    const keys = parameter.op === 'object' ? parameter.entries.map(([key]) => key) : null;
    const parts = parameter.op === 'object' ? parameter.entries.map(([, part]) => part) : parameter.items;
    const found = parts.map((part) => resolve(part, call));
    const absent = firstAbsent(found);
    if (absent !== null) return absent;
    const values = found.map((one) => (one as { value: Json }).value);
    return { value: keys === null ? values : Object.fromEntries(keys.map((key, at) => [key, values[at] as Json])) };
  }

  function resolveRead(of: Read, call: PlanCall): Found {
    if (of.op === 'path') return resolvePath(of, call);
    const found = of.of.map((part) => resolveRead(part, call));
    const absent = firstAbsent(found) ?? { absent: 'missing' };
    if (of.op === 'all') return found.some((one) => 'absent' in one) ? absent : (found.at(-1) as Found);
    const chosen = found.find((one) => 'value' in one || one.absent === 'waiting');
    return chosen ?? absent;
  }

  function resolvePath({ path, gate }: Read & { op: 'path' }, call: PlanCall): Found {
    const value = read(data, path);
    if (value !== undefined) return gate && value === false ? { absent: 'denied', denied: path.join('.') } : { value };
    if (gate) return { absent: fits(path, null) ? 'waiting' : 'unresolved' };
    let reason: string | null = null;
    for (const index of plan.order.slice(0, call.rank)) {
      const writer = plan.calls[index] as PlanCall;
      const { status, arm, reason: why } = became.get(index) as Became;
      if (!writer.arms.flat().some((one) => overlap(one, path))) continue;
      if (status === 'failed' || status === 'blocked' || (status === 'denied' && arm === null))
        return { absent: 'failed' };
      const taken = arm === null ? [] : (writer.arms[arm] ?? []);
      if (taken.some((one) => one.every((step, at) => step === path[at]))) reason = 'unresolved';
      else reason ??= why ?? 'branch';
    }
    const isField = path.length > 2 && read(given, path.slice(0, 2)) !== undefined;
    // A call that reads the arm that a denied call did not take is denied too.
    return { absent: reason ?? (isField ? 'unresolved' : 'missing'), denied: path.join('.') };
  }

  /** What lies in a list of the beginning counts as the list: whoever writes one element decides about room for others. */
  function overlap(one: PlanPath, other: PlanPath): boolean {
    const [left, right] = [upToList(one), upToList(other)];
    const length = Math.min(left.length, right.length);
    return left.slice(0, length).join('.') === right.slice(0, length).join('.');
  }

  function upToList(path: PlanPath): readonly string[] {
    const depth = path.findIndex((_, at) => Array.isArray(read(given, path.slice(0, at))));
    return depth < 0 ? path : path.slice(0, depth);
  }
}

function firstAbsent(found: readonly Found[]): Absent | null {
  const absent = found.flatMap((one) => ('absent' in one ? [one] : []));
  for (const reason of ORDER) for (const one of absent) if (one.absent === reason) return one;
  return null;
}

function read(data: Json, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (at, step) => (typeof at === 'object' && at !== null ? (at as Members)[step] : undefined),
    data,
  );
}

function merge(old: Json | undefined, value: Json): Json {
  const isObject = (one: Json | undefined): one is Members =>
    typeof one === 'object' && one !== null && !Array.isArray(one);
  if (!isObject(old) || !isObject(value)) return value;
  const both = { ...old };
  for (const [key, part] of Object.entries(value)) both[key] = merge(old[key], part);
  return both;
}
