/** Routes about programs: what there is to run, and what is wrong with it. */
import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { diagnosticsToJson } from '../../app/library/diagnostics.js';
import type { CheckedProgram, Programs } from '../../app/programs.js';
import { type Result, refuse, resultWith } from '../../app/result.js';
import type { Json } from '../../machine/expression.js';
import { nearest } from '../../prelude/nearest.js';
import { checkAnswer, programAnswer, programsAnswer } from '../answer-schemas.js';
import { limitsOf } from '../executions/requested-run.js';
import { answerRefusal, writtenMember } from '../http-answer.js';
import { checkBody } from '../schemas.js';
import { answers, type Service, type ServiceApp } from '../service.js';

const TAGS = ['programs'];

const list = createRoute({
  method: 'get',
  path: '/programs',
  summary: 'List programs, workflows, plans and patterns with their inputs.',
  tags: TAGS,
  responses: answers(200, programsAnswer, 'as `statedsl list --json` prints it'),
});

const show = createRoute({
  method: 'get',
  path: '/programs/{name}',
  summary: 'Show the graph and the inputs of a program.',
  tags: TAGS,
  request: { params: z.object({ name: z.string().min(1).max(4096) }) },
  responses: answers(200, programAnswer, '`name`, `inputs`, `machines`, `diagnostics` and `graph` in Mermaid'),
});

const check = createRoute({
  method: 'post',
  path: '/check',
  summary: 'Check a program or a text. Nothing is started.',
  tags: TAGS,
  request: { body: { content: { 'application/json': { schema: checkBody } }, required: true } },
  responses: answers(200, checkAnswer, '`valid` and `diagnostics`'),
});

/** The path of a program that the list has: a path that leads anywhere else is not one. */
export async function findProgram(folder: Programs, name: string): Promise<Result<string>> {
  const listed = await folder.list();
  if (!listed.ok) return listed;
  const { programs, workflows, plans } = listed.value;
  const all = [...programs, ...workflows, ...plans].map(({ path }) => path);
  const found = all.find((path) => path === name);
  const plain = name.replace(/^\.\//, '');
  const near = all.find((path) => path === plain || path.startsWith(`${plain}.`)) ?? nearest(plain, all);
  return found === undefined
    ? refuse(
        'unknown',
        `there is no program \`${name}\``,
        near === undefined ? 'choose one of `GET /api/v1/programs`' : `did you mean \`${near}\`?`,
      )
    : resultWith(found);
}

const inputsOf = ({ inputs }: CheckedProgram) => inputs.map(({ name, ...rest }) => ({ name, ...rest }));

export function addProgramRoutes(app: ServiceApp, { programs, checks }: Service): void {
  app.openapi(list, async (c) => {
    const result = await programs.list();
    return result.ok ? c.json(result.value, 200) : answerRefusal(c, result.refusal);
  });

  const showProgram = async (c: Context, name: string) => {
    const found = await findProgram(programs, name);
    if (!found.ok) return answerRefusal(c, found.refusal);
    const first = checks.isLong(found.value) ? await checks.check(found.value) : null;
    if (first !== null && !first.ok) return answerRefusal(c, first.refusal);
    if (first?.value.valid === false) {
      const { diagnostics } = first.value;
      return c.json({ name: found.value, inputs: [], machines: [], diagnostics, graph: null }, 200);
    }
    const result = await programs.check(found.value);
    if (!result.ok) return answerRefusal(c, result.refusal);
    const checked = result.value;
    const graph = checked.isValid ? await programs.graph(checked) : null;
    return c.json(
      {
        name: found.value,
        inputs: inputsOf(checked),
        machines: checked.machines.map(({ name }) => name),
        diagnostics: diagnosticsToJson(checked),
        graph: graph?.ok === true ? graph.value : null,
      },
      200,
    );
  };

  app.openapi(show, (c) => showProgram(c, c.req.valid('param').name));
  // Clients may leave the slashes of a path as they are.
  app.get('/programs/:name{.+}', (c) => showProgram(c, c.req.param('name')));

  app.openapi(check, async (c) => {
    const { program, text, name, inputs, limits } = c.req.valid('json');
    const found = program === undefined ? null : await findProgram(programs, program);
    if (found !== null && !found.ok) return answerRefusal(c, found.refusal);
    const given = { text: text as string, ...(name === undefined ? {} : { name }) };
    const source = found === null ? given : found.value;
    const result = await checks.check(source);
    if (!result.ok) return answerRefusal(c, result.refusal);
    if (inputs === undefined || !result.value.valid) return c.json(result.value, 200);
    const written = (await writtenMember(c, 'inputs')) as Readonly<Record<string, Json>> | undefined;
    const run = { inputs: { ...(inputs as Readonly<Record<string, Json>>), ...written }, limits: limitsOf(limits) };
    const bound = await checks.bounds(source, run);
    return bound.ok ? c.json({ ...result.value, bound: bound.value }, 200) : answerRefusal(c, bound.refusal);
  });
}
