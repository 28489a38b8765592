/** Ids of messages and tool calls. Programs take two messages with one id for the same message. */
let count = 0;
const unique = Date.now().toString(36);

export const numbered = (prefix) => `${prefix}_${unique}${(count++).toString(36).padStart(4, '0')}`;
