/**
 * The next step of a refusal, for a client of the service: what names a command of the command line names the route that
 * does the same. What only a command can do is said to be done in a terminal.
 */

/** Routes by the names of commands; `{id}` is the run. */
const ROUTES: Readonly<Record<string, string>> = {
  runs: 'GET /api/v1/runs',
  list: 'GET /api/v1/programs',
  show: 'GET /api/v1/runs/{id}',
  report: 'GET /api/v1/report?run={id}',
  answer: 'POST /api/v1/runs/{id}/answers',
  signal: 'POST /api/v1/runs/{id}/signals',
  cancel: 'POST /api/v1/runs/{id}/cancel',
  resume: 'POST /api/v1/runs/{id}/resume',
  replay: 'POST /api/v1/runs/{id}/replay',
  apply: 'POST /api/v1/runs/{id}/apply',
};

/** What a command recommends if its store has no runs. A service has one store. */
const OTHER_STORE = 'name the store of the run';
const COMMAND = /`statedsl ([a-z]+)((?: [^`]*)?)`/g;
const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const FROM_STATE = '`--from STATE`';
/** Where a replay begins is a member of its request. */
const FROM = / --from \S+/;
const FLAG = /(?:^|[ `])--[a-z]/;

/** The first id of a run in a text. */
export function idIn(text: string): string | undefined {
  return ID.exec(text)?.[0];
}

/** `run`: the one of the request. */
export function httpHelp(help: string | null, run: string | undefined): string | null {
  if (help === null) return null;
  if (help.startsWith(OTHER_STORE)) return 'start a run: `POST /api/v1/runs`';
  const translated = help
    .replace(FROM_STATE, '`{"from": {"state": STATE}}`')
    .replace(COMMAND, (all, name: string, words: string) => {
      const route = ROUTES[name];
      if (route === undefined || FLAG.test(words.replace(FROM, ''))) return all;
      return `\`${route.replace('{id}', idIn(words) ?? run ?? '{id}')}\``;
    });
  return FLAG.test(translated) || translated.includes('`statedsl ') ? `in a terminal: ${translated}` : translated;
}
