/**
 * The class of an instruction: `command`, `agent`, `function` and `tool` act on the world; `wait` and `person` take
 * time.
 */
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
