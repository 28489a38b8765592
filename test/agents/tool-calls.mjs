/** The tool calls of a scripted answer, by the names that the program offers its tools under. */

/** Each with the arguments that one of the programs wants. The first that is offered is called. */
const SHELL = {
  Bash: (command) => ({ command, description: 'run' }),
  exec_command: (cmd) => ({ cmd }),
  shell_command: (command) => ({ command }),
  shell: (command) => ({ command: ['bash', '-lc', command] }),
  run_shell_command: (command) => ({ command, is_background: false, description: 'run' }),
  bash: (command) => ({ command, description: 'run' }),
};

const patch = (path, content) =>
  `*** Begin Patch\n*** Add File: ${path}\n${content.replace(/\n$/, '').replace(/^/gm, '+')}\n*** End Patch\n`;

const WRITE = {
  Write: ({ path, content }) => ({ file_path: path, content }),
  apply_patch: ({ path, content }) => ({ text: patch(path, content), input: patch(path, content) }),
  write_file: ({ path, content }) => ({ file_path: path, content }),
  write: ({ path, content }) => ({ filePath: path, content }),
};

function pick(ways, value, { tools }) {
  const name = Object.keys(ways).find((one) => tools.includes(one));
  return name === undefined
    ? { name: 'missing_tool', input: { offered: tools.join(' ') } }
    : { name, input: ways[name](value) };
}

export function callsOf({ shell, write, tool }, asked) {
  return [
    ...(shell === undefined ? [] : [pick(SHELL, shell, asked)]),
    ...(write === undefined ? [] : [pick(WRITE, typeof write === 'function' ? write(asked) : write, asked)]),
    ...(tool === undefined ? [] : [tool]),
  ];
}
