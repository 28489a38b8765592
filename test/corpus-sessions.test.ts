/** Cases that are command lines, typed into a shell one after the other. */
import { describe, test } from 'vitest';
import { share } from './amount.js';
import { namedCases } from './corpus/case-file.js';
import { compare } from './corpus/expectation.js';
import { sessionOf } from './corpus/session-case.js';

describe.concurrent('session', () => {
  test.for(share(namedCases('session')))('%s', async ([, the], { expect }) => {
    compare(the, { session: await sessionOf(the) }, ['session'], expect);
  });
});
