/** A scripted agent that speaks the Agent Client Protocol; words of the prompt say what it does. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { agent, methods, ndJsonStream } from '@agentclientprotocol/sdk';

const [, , how = 'resume'] = process.argv;
const capabilities = { resume: { sessionCapabilities: { resume: {} } }, load: { loadSession: true }, none: {} }[how];
const known = existsSync('sessions.json') ? JSON.parse(readFileSync('sessions.json', 'utf8')) : [];

/** Tools without an input: their title says what they do, of the last one only when it begins. */
const TITLED = ['fetch', 'other'];

agent()
  .onRequest('initialize', () => ({
    protocolVersion: 1,
    agentInfo: { name: 'scripted', version: '1' },
    agentCapabilities: { ...capabilities, promptCapabilities: {} },
    authMethods: [],
  }))
  .onRequest(methods.agent.session.new, () => {
    const sessionId = `s${known.length + 1}`;
    writeFileSync('sessions.json', JSON.stringify([...known, sessionId]));
    return { sessionId };
  })
  .onRequest(methods.agent.session.load, async ({ params: { sessionId }, client }) => {
    const content = { type: 'text', text: 'OLD HISTORY' };
    await client.notify('session/update', { sessionId, update: { sessionUpdate: 'agent_message_chunk', content } });
    return {};
  })
  .onRequest(methods.agent.session.resume, () => ({}))
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
    const asked = prompt.map((block) => block.text ?? '').join('');
    const update = (one) => client.notify('session/update', { sessionId, update: one });
    const say = (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
    if (asked.includes('die')) process.exit(3);
    if (asked.includes('broken')) throw new Error('rate limit reached, try again in 70 seconds');
    await say('Let me see. ');
    for (const [, kind] of asked.matchAll(/use (\w+)/g)) {
      const toolCall = {
        toolCallId: kind,
        title: `a ${kind}`,
        kind,
        status: 'pending',
        ...(TITLED.includes(kind) ? {} : { rawInput: { command: `do ${kind}` } }),
      };
      await update({ sessionUpdate: 'tool_call', ...toolCall });
      const options = [
        { optionId: 'always', name: 'Always', kind: 'allow_always' },
        { optionId: 'never', name: 'No', kind: 'reject_once' },
        { optionId: 'once', name: 'Once', kind: 'allow_once' },
      ];
      const { outcome } = await client.request('session/request_permission', {
        sessionId,
        toolCall: kind === 'other' ? { toolCallId: kind } : toolCall,
        options,
      });
      if (asked.includes('give up')) return { stopReason: 'end_turn' };
      await say(`${kind}=${outcome.optionId} `);
    }
    if (asked.includes('file'))
      await client
        .request('fs/read_text_file', { sessionId, path: '/etc/hostname' })
        .then(() => say('read'))
        .catch(({ code }) => say(`declined ${code} `));
    if (asked.includes('hang')) await new Promise(() => undefined);
    await update({ sessionUpdate: 'usage_update', used: 1200, size: 200_000, cost: { amount: 0.02, currency: 'USD' } });
    await say(`done in ${sessionId}`);
    return { stopReason: asked.includes('refuse') ? 'refusal' : 'end_turn' };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
