/**
 * The schemas of what agents of a split or a validation answer, for programs that make the model keep to one. They are in
 * the form that all of them accept: an object in which every member is required and no other is allowed.
 */
import type { Json } from '../../machine/expression.js';
import type { StepLayout } from '../../machine/step.js';

function objectOf(properties: Readonly<Record<string, Json>>): Json {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

const task = objectOf({
  name: { type: 'string', description: 'letters, digits, "_", "-" and spaces; unique' },
  description: { type: 'string' },
  files: {
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'the only files that the task may change, or null',
  },
});

const SCHEMAS: Readonly<Partial<Record<StepLayout['type'], Json>>> = {
  split: objectOf({ tasks: { type: 'array', items: task } }),
  validate: objectOf({ pass: { type: 'boolean' }, comments: { type: 'string' } }),
};

export function answerSchema(type: StepLayout['type']): Json | undefined {
  return SCHEMAS[type];
}
