// Who sees what over HTTP: users × namespaces × endpoints × methods, made from /openapi.json. Whoever may not see a
// namespace gets, byte for byte, what a server sends whose ledger never had it: bodies, headers, counts, cursors, ETags,
// errors. The quick form of e2e/serving-access.test.ts, with an Access that believes everybody.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ledgerOf } from '@podtrail/history/testing';
import { ALL_VISIBLE, epochMillis, type Visibility } from '@podtrail/history/wire';
import { systemRandom } from '@podtrail/machinery';
import { ManualClock } from '@podtrail/machinery/testing';
import { AskedLedger, apiRoutes, mcpRoute } from '@podtrail/operator/serving';
import {
  AGAIN,
  type AskedValues,
  accessOf,
  allOf,
  type DescribedApi,
  type DescribedRequest,
  describedRequests,
  LIST_TOOLS,
  listedTools,
  NOW,
  requestValues,
  SINCE,
  type StartedServer,
  startedServer,
  tenantFacts,
  toolCall,
  toolCalls,
  UNTIL,
} from '@podtrail/operator/serving/testing';
import { attributeLog } from '../attribute/attribute-log.ts';
import { commandRoute } from '../remote/command-route.ts';

const SOON = { timeout: 240_000 };
const some = (...namespaces: [string, number][]): Visibility => ({
  kind: 'namespaces',
  since: new Map(namespaces.map(([name, since]) => [name, epochMillis(since)])),
});
const USERS = { jane: ALL_VISIBLE, sam: some(['shop', 0]), late: some(['twice', AGAIN]), nobody: some() };
/** What is in the ledger that each of them is compared with. */
const VISIBLE = { sam: ['shop'], late: ['twice'], nobody: [] } as const;
type Narrowed = keyof typeof VISIBLE;
const NARROWED = Object.keys(VISIBLE) as Narrowed[];

const ADDRESSES = {
  shown: ['10.1.0.1', '10.1.0.2'],
  hidden: ['10.2.0.1', '10.2.0.2', '10.3.0.1', '10.3.0.2', '10.96.2.1', '192.168.0.1'],
  absent: ['10.9.0.9'],
};
const SUBJECTS = {
  shown: ['shop-stays'],
  hidden: [
    ...['vault-stays', 'vault-goes', 'first-life', 'uid-vault-goes', 'uid-first-life'],
    ...['deploy/vault-app', 'svc/vault-service', '10.2.0.1', '192.168.0.1'],
  ],
  absent: ['nobody'],
};
const DURING = SINCE + 8 * 60_000;
const ASKED: AskedValues = {
  addresses: ADDRESSES,
  subjects: SUBJECTS,
  namespaces: { shown: ['shop'], hidden: ['vault', 'twice'], absent: ['nowhere'] },
  nodes: { shown: ['node-1'], hidden: ['node-2'], absent: ['node-9'] },
  keys: { shown: ['shop-key'], hidden: ['vault-key'], absent: ['no-key'] },
  // Cursors of the administrator's pages are asked with below; these are of other questions.
  cursors: { shown: [cursorOf('uid-shop-goes')], hidden: [cursorOf('uid-vault-goes')], absent: ['nonsense'] },
  at: [DURING, UNTIL],
  since: SINCE,
  until: UNTIL,
};

/** As a page would have it that ended with this pod. */
function cursorOf(uid: string): string {
  return `AAAAAAAA.${DURING}.${Buffer.from(uid).toString('base64url')}`;
}

async function served(t: TestContext, of: Parameters<typeof tenantFacts>[0]): Promise<StartedServer> {
  const engine = await ledgerOf(tenantFacts(of));
  const clock = new ManualClock(NOW);
  const ledger = new AskedLedger(engine, clock);
  const more = [commandRoute(ledger, { clock, random: systemRandom }), mcpRoute({ ledger, version: '0' })];
  const routes = apiRoutes({ ledger, version: '0', status: () => engine.status(), attribute: attributeLog, more });
  return await startedServer(t, routes, { access: accessOf(USERS) });
}

interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function ask(
  { get }: StartedServer,
  as: string,
  { method, url, body }: Pick<DescribedRequest, 'method' | 'url' | 'body'>,
  more: Readonly<Record<string, string>> = {},
): Promise<Seen> {
  const headers: Record<string, string> = { 'x-request-id': 'matrix', ...more };
  if (body !== undefined) headers['content-type'] = body.type;
  const answer = await get(url, { as, method, headers, ...(body === undefined ? {} : { body: body.text }) });
  const { date: _, ...rest } = Object.fromEntries(answer.headers);
  return { status: answer.status, headers: rest, body: await answer.text() };
}

async function api(server: StartedServer): Promise<DescribedRequest[]> {
  const document = (await (await server.get('/openapi.json')).json()) as DescribedApi;
  // A stream without an end: live-route.test.ts has it.
  const { '/api/v1/live': live, ...others } = document.paths;
  // Tools and commands are asked each by themselves, below.
  const { '/mcp': tools, '/api/v1/commands': commands, ...paths } = others;
  assert.ok(live !== undefined && tools !== undefined && commands !== undefined);
  return describedRequests({ paths }, requestValues(ASKED));
}

const HIDDEN: Readonly<Record<Narrowed, RegExp>> = {
  sam: /vault-|uid-vault|10\.2\.0|10\.96\.2|first-life|second-life|10\.3\.0/,
  late: /vault-|uid-vault|10\.2\.0|10\.96\.2|first-life|10\.3\.0\.1|shop-|10\.1\.0/,
  nobody: /vault-|uid-vault|10\.2\.0|10\.96\.2|first-life|second-life|10\.3\.0|shop-|10\.1\.0/,
};

test('no answer differs from that of a ledger that never had what is hidden', SOON, async (t) => {
  const full = await served(t, ['shop', 'vault', 'twice', 'before']);
  const requests = await api(full);
  const whole = new Map<DescribedRequest, Seen>();
  let asked = 0;
  for (const user of NARROWED) {
    const bare = await served(t, VISIBLE[user]);
    let tags = 0;
    let cursors = 0;
    for (const request of requests) {
      const of = `${user} ${request.method} ${request.url}`;
      const [seen, expected] = [await ask(full, user, request), await ask(bare, user, request)];
      assert.deepEqual(seen, expected, of);
      assert.ok(seen.status < 500, of);
      assert.doesNotMatch(withoutAsked(seen.body + JSON.stringify(seen.headers), request), HIDDEN[user], of);
      asked++;
      // What the administrator was sent is worth nothing to others.
      const all = whole.get(request) ?? (await ask(full, 'jane', request));
      whole.set(request, all);
      const etag = all.headers['etag'];
      if (etag !== undefined && all.body !== seen.body) {
        tags++;
        const again = await ask(full, user, request, { 'if-none-match': etag });
        assert.equal(again.status, seen.status, `${of} with the ETag of another`);
      }
      const cursor = /"cursor":"([^"]+)"/.exec(all.body)?.[1];
      if (cursor !== undefined && !request.url.includes('cursor=')) {
        cursors++;
        const next = { ...request, url: `${request.url}${request.url.includes('?') ? '&' : '?'}cursor=${cursor}` };
        assert.deepEqual(await ask(full, user, next), await ask(bare, user, next), `${of} with the cursor of another`);
      }
    }
    assert.ok(tags > 10 && cursors > 5, `${tags} ${cursors}`);
  }
  // To who may see it, it is shown.
  const shown = [...whole].filter(([request, { body }]) => HIDDEN.sam.test(withoutAsked(body, request)));
  assert.ok(shown.length > 50, `${shown.length}`);
  t.diagnostic(`${asked} requests, 0 leaks`);
});

/** Answers repeat the question. */
function withoutAsked(body: string, { url, body: sent }: DescribedRequest): string {
  let text = body;
  const asked = [...new URL(url, 'http://x').searchParams.values(), ...(sent === undefined ? [] : allOf(ADDRESSES))];
  for (const value of asked) text = text.replaceAll(value.replace(/^\w+\//, ''), 'ASKED');
  return text.replaceAll(/ASKED/g, '');
}

test('other methods are refused alike, and strangers everywhere', SOON, async (t) => {
  const full = await served(t, ['shop', 'vault', 'twice', 'before']);
  const bare = await served(t, ['shop']);
  const { paths } = (await (await full.get('/openapi.json')).json()) as DescribedApi;
  for (const path of [...Object.keys(paths), '/api/v1/vault', '/vault']) {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const request = { method, url: `${path}?subject=vault-stays&namespace=vault` };
      assert.deepEqual(await ask(full, 'sam', request), await ask(bare, 'sam', request), `${method} ${path}`);
    }
    if (path === '/openapi.json') continue;
    for (const method of ['GET', 'POST']) {
      const { status } = await ask(full, 'mallory', { method, url: path });
      assert.ok([401, 404, 405].includes(status), `${method} ${path}: ${status}`);
      if (status !== 401) assert.equal(status, (await ask(full, 'jane', { method, url: path })).status, path);
    }
  }
});

const posted = (text: string) => ({ method: 'POST', url: '/mcp', body: { type: 'application/json', text } });
const ACCEPT = { accept: 'application/json, text/event-stream' };

test('the tools of assistants show no more, and their refusals tell nothing', SOON, async (t) => {
  const full = await served(t, ['shop', 'vault', 'twice', 'before']);
  const calls = toolCalls(ASKED);
  const listed = listedTools((await ask(full, 'jane', posted(LIST_TOOLS), ACCEPT)).body);
  assert.deepEqual(listed, Object.keys(calls).sort(), 'a new tool: say in asked-values.ts how it is called');
  for (const user of NARROWED) {
    const bare = await served(t, VISIBLE[user]);
    for (const [name, inputs] of Object.entries(calls)) {
      for (const input of inputs) {
        const request = posted(toolCall(name, input));
        const [seen, expected] = [await ask(full, user, request, ACCEPT), await ask(bare, user, request, ACCEPT)];
        assert.deepEqual(seen, expected, `${user} ${name} ${JSON.stringify(input)}`);
      }
    }
  }
});

const COMMANDS = [
  ...allOf(ADDRESSES).map((ip) => `who ${ip} --at ${new Date(DURING).toISOString()}`),
  ...allOf(SUBJECTS).flatMap((subject) => ['trail', 'explain', 'changes'].map((name) => `${name} ${subject} -n vault`)),
  ...allOf(SUBJECTS).flatMap((subject) => ['trail', 'explain', 'changes'].map((name) => `${name} ${subject} -n shop`)),
  ...['node node-1', 'node node-1 --since 1h', 'node node-9', 'moves --since 1h', 'moves --since 1h -n vault'],
  ...['moves --since 1h -l app=vault-app', 'gaps --since 1h', 'anomalies', 'trail vault-sta -n vault', 'node nod'],
];

test('commands that a server runs print what a ledger without the hidden prints, in every format', SOON, async (t) => {
  const full = await served(t, ['shop', 'vault', 'twice', 'before']);
  for (const user of NARROWED) {
    const bare = await served(t, VISIBLE[user]);
    for (const line of COMMANDS) {
      for (const format of ['table', 'wide', 'json']) {
        const words = [...line.split(' '), '-o', format];
        const text = JSON.stringify({ words, zone: 'UTC', namespace: null, colour: false });
        const request = { method: 'POST', url: '/api/v1/commands', body: { type: 'application/json', text } };
        assert.deepEqual(await ask(full, user, request), await ask(bare, user, request), `${user} ${words.join(' ')}`);
      }
    }
  }
});
