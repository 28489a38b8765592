/** What an instruction touches: `command`, `agent`, `function` and `tool` act on the world, `wait` and `person` on time. */
export type InstructionClass =
  | 'command'
  | 'agent'
  | 'function'
  | 'tool'
  | 'wait'
  | 'person'
  | 'sample'
  | 'pure'
  | 'control';
