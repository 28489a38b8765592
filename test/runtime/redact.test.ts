import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor, environmentSecrets, inputSecrets, type Secret, tooShort } from '../../src/runtime/redact.js';

const secret = (value: string): Secret => ({ name: 'S', value });

function streamed(redactor: NonNullable<ReturnType<typeof createRedactor>>, chunks: readonly Buffer[]): Buffer {
  const stream = redactor.stream();
  return Buffer.concat([...chunks.map((chunk) => stream.push(chunk)), stream.end()]);
}

describe('which values are secret', () => {
  test('names say so, or the configuration does', () => {
    const environment = {
      A_TOKEN: 'aaaa',
      B_KEY: 'bbbb',
      C_SECRET: 'cccc',
      MY_PASSWORD_2: 'dddd',
      TOKENS: 'x',
      NAMED: 'eeee',
    };
    expect(environmentSecrets(environment, ['NAMED']).map(({ name }) => name)).toEqual([
      'A_TOKEN',
      'B_KEY',
      'C_SECRET',
      'MY_PASSWORD_2',
      'NAMED',
    ]);
  });

  test.each(['TOKEN', 'npm_token', 'Api_Key', 'db_passwd', 'DB_PASS', 'GPG_PASSPHRASE', 'GITHUB_PAT', 'pat'])(
    '%s',
    (name) => expect(environmentSecrets({ [name]: 'aaaa' }, [])).toEqual([{ name, value: 'aaaa' }]),
  );

  test.each(['CREDENTIAL', 'AWS_CREDENTIALS', 'session_cookie', 'SENTRY_DSN', 'mypassword2'])('%s too', (name) =>
    expect(environmentSecrets({ [name]: 'aaaa' }, [])).toHaveLength(1),
  );

  test.each(
    'apikey apiKey API-KEY x-api-key githubToken githubtoken GITHUBTOKEN MYSQL_PWD REDIS_PW JWT Authorization AWS_CREDS gcpCreds dbPass clientSecret CLIENTSECRET npm_config__authToken _authToken NODE_AUTH BearerToken accessKey ACCESSKEY privateKeyPem SECRET_KEY_BASE API_KEY_PROD OPENAI_APIKEY TOKEN1 DEPLOY_KEY_2 SLACK_WEBHOOK_URL DOCKER_AUTH_CONFIG AZURE_STORAGE_CONNECTION_STRING PGPASSWORD SESSIONKEY AppSecrets LOGIN_OTP'.split(
      ' ',
    ),
  )('%s as well', (name) => expect(environmentSecrets({ [name]: 'aaaa' }, [])).toHaveLength(1));

  test.each(
    'PWD OLDPWD INIT_CWD GITHUB_SHA AUTHOR GIT_AUTHOR_NAME SSH_AUTH_SOCK XAUTHORITY MONKEY TURKEY HOTKEYS TOKENIZER MAX_TOKENS API_KEY_FILE ACCESS_TOKEN_URL TOKENS_USED KEYMAP BYPASS COMPASS PASSENGER HOSTNAME SECRETARY CREDITS JWTX USERNAME'.split(
      ' ',
    ),
  )('%s is none', (name) => expect(environmentSecrets({ [name]: 'aaaa' }, [])).toEqual([]));

  test.each(['PATH', 'COMPASS', 'KEYBOARD', 'MONKEY', 'TOKEN_COUNT', 'PATTERN'])('%s is not one', (name) =>
    expect(environmentSecrets({ [name]: 'aaaa' }, [])).toEqual([]),
  );

  test('the password of an address, whatever the variable is called', () => {
    const found = (value: string) => environmentSecrets({ URL: value }, []).map((secret) => secret.value);
    expect(found('postgres://bob:hunter%2142@db:5432/x?y=z')).toEqual(['hunter%2142', 'hunter!42']);
    expect(found('see https://a:first1@x and http://b:se:cond2@y/z@w')).toEqual(['first1', 'se:cond2']);
    expect(found('redis://:only-password@h')).toEqual(['only-password']);
    expect(found('https://ghp_0123456789abcdef@github.com/a/b')).toEqual(['ghp_0123456789abcdef']);
    expect(found('ftp://bob:ab@host')).toEqual(['bob:ab']);
    for (const value of ['ssh://git@github.com/a:b', 'bob@example.org', 'https://host/a:b@c', 'a:b@c'])
      expect(found(value)).toEqual([]);
  });

  test('an input that is an object has a secret in each of its texts and numbers', () => {
    const secrets = inputSecrets('login', { user: 'bob', pins: [4711, 9], on: true, none: null, empty: '' });
    expect(secrets).toEqual([
      { name: 'login.user', value: 'bob' },
      { name: 'login.pins.0', value: '4711' },
      { name: 'login.pins.1', value: '9' },
    ]);
    expect(tooShort(secrets)).toEqual(['login.user', 'login.pins.1']);
  });

  test('JSON with everything beyond ASCII escaped is found too', () => {
    const redactor = createRedactor([secret('p\u00e4ss\u{1f511}')]);
    expect(redactor?.text('["p\\u00e4ss\\ud83d\\udd11"] p\u00e4ss\u{1f511}')).toBe('["***"] ***');
  });

  test('short values are left alone', () => {
    expect(createRedactor([secret('abc')])).toBeNull();
    expect(createRedactor([secret('abcd')])?.text('xabcdx')).toBe('x***x');
  });

  test('each line of several, and the form that JSON escapes', () => {
    const redactor = createRedactor([secret('first line\nab\nsecond "line"')]);
    expect(redactor?.text('first line, ab, second "line", second \\"line\\"')).toBe('***, ab, ***, ***');
  });
});

describe('a stream', () => {
  test('finds what is split over chunks', () => {
    const redactor = createRedactor([secret('hunter22'), secret('hunt'), secret('päss word')]);
    if (redactor === null) throw new Error('there are secrets');
    const text = Buffer.from('a hunter22 b hunt c hunthunter2 päss word d hunter2');
    for (let size = 1; size < 12; size++) {
      const chunks: Buffer[] = [];
      for (let at = 0; at < text.length; at += size) chunks.push(text.subarray(at, at + size));
      expect(streamed(redactor, chunks).toString()).toBe('a *** b *** c ******er2 *** d ***er2');
    }
  });

  test('gives the same whatever the chunks are', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(letters, { minLength: 1, maxLength: 4 }),
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c') }), { maxLength: 20 }),
        (secrets, chunks) => {
          const redactor = createRedactor(secrets.map(secret));
          if (redactor === null) throw new Error('there are secrets');
          const whole = redactor.text(chunks.join(''));
          expect(
            streamed(
              redactor,
              chunks.map((chunk) => Buffer.from(chunk)),
            ).toString(),
          ).toBe(whole);
        },
      ),
    );
  });

  test('passes on what cannot become a secret at once', () => {
    const stream = createRedactor([secret('needle')])?.stream();
    expect(stream?.push(Buffer.from('hello nee')).toString()).toBe('hello ');
    expect(stream?.push(Buffer.from('t')).toString()).toBe('neet');
    expect(stream?.end().toString()).toBe('');
  });

  test('keeps bytes that are not text', () => {
    const redactor = createRedactor([secret('needle')]);
    if (redactor === null) throw new Error('there are secrets');
    const bytes = Buffer.from([0xff, 0, 0xfe, ...Buffer.from('needle'), 0x80]);
    expect(streamed(redactor, [bytes])).toEqual(Buffer.from([0xff, 0, 0xfe, 42, 42, 42, 0x80]));
  });
});
