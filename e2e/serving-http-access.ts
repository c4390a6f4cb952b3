// Who sees what through the HTTP API of the operator, asked directly with bearer tokens: every operation of its own
// /openapi.json, the commands and every tool, as each user. Used by serving-access.test.ts, which has the cluster.
import assert from 'node:assert/strict';
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AskedValues,
  allOf,
  type DescribedApi,
  describedRequests,
  LIST_TOOLS,
  listedTools,
  requestValues,
  toolCall,
  toolCalls,
} from '@podtrail/operator/serving/testing';

/** Requests of one user at once. */
const AT_ONCE = 4;
/** Of the parameters, what a row of the table is about; with others an answer is looked at and not shown. */
const SHOWN = new Set(['ip', 'subject', 'namespace', 'node', 'fromNode', 'toNode', 'cause', 'key', 'text', 'by']);
/** Pages of the administrator, whose cursors all others are asked with. */
const PAGES = 3;
const METHODS = ['PUT', 'DELETE', 'PATCH', 'OPTIONS'];
const COMMANDS = ['who', 'trail', 'explain', 'changes'];

export interface HttpTenants {
  readonly port: number;
  /** Users with their tokens; the first may see everything, and the last is not let in. */
  readonly tokens: ReadonlyMap<string, string>;
  /** By namespace, what must be seen by nobody else. */
  readonly markers: ReadonlyMap<string, RegExp>;
  /** The namespaces that each user may see something of. */
  readonly sees: Readonly<Record<string, readonly string[]>>;
  readonly values: AskedValues;
  /** What is asked with, as the table names it. */
  readonly names: Readonly<Record<string, string>>;
  /** By namespace the UIDs of its pods. */
  readonly uids: ReadonlyMap<string, readonly string[]>;
  /** Something of a namespace, and what nobody has: to those who may not see the first the answers are the same. */
  readonly twins: readonly { readonly hidden: string; readonly absent: string; readonly of: string }[];
}

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly body?: { readonly type: string; readonly text: string } | undefined;
  /** In the table. */
  readonly row?: string | undefined;
}

interface Answer {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

export interface HttpMatrix {
  readonly asked: number;
  /** How many answers about hidden things were compared with those about absent ones. */
  readonly compared: number;
  /** Cursors that name a hidden record, each compared with one that names nothing. */
  readonly cursors: number;
  readonly rows: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

export async function httpMatrix(of: HttpTenants): Promise<HttpMatrix> {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  try {
    const described = await everything(agent, of);
    const pages = await followed(agent, of, described);
    const asked = [...described, ...pages.asked];
    const tenants = { ...of, twins: [...of.twins, ...pages.twins] };
    const users = [...tenants.tokens.keys()];
    const answers = await Promise.all(users.map((user) => askAll(agent, tenants, user, asked)));
    const rows = new Map<string, Map<string, string>>();
    let compared = 0;
    for (const [at, user] of users.entries()) {
      const found = answers[at] ?? [];
      for (const [index, question] of asked.entries()) {
        const answer = found[index] as Answer;
        check(tenants, user, question, answer);
        if (question.row !== undefined) note(rows, question.row, user, cellOf(tenants, question, answer));
      }
      compared += compareTwins(tenants, user, asked, found);
    }
    return { asked: asked.length * users.length, compared, cursors: pages.twins.length, rows };
  } finally {
    agent.destroy();
  }
}

/** What there is to ask, by the server's own description; what is beside it: commands, tools, other methods. */
async function everything(agent: Agent, tenants: HttpTenants): Promise<readonly Asked[]> {
  const { values, names, tokens, port } = tenants;
  const [[, first]] = tokens as unknown as [[string, string]];
  const document = await send(agent, port, first, { method: 'GET', url: '/openapi.json' });
  const { '/api/v1/live': live, ...all } = (JSON.parse(document.body) as DescribedApi).paths;
  assert.ok(live !== undefined, 'a stream without an end is asked by itself');
  const { '/mcp': tooling, '/api/v1/commands': running, ...paths } = all;
  assert.ok(tooling !== undefined && running !== undefined, 'tools and commands are asked each by themselves');
  const described = describedRequests({ paths }, requestValues(values)).map(({ method, operation, url, body }) => {
    const parameters = new URL(url, 'https://x').searchParams;
    const isShown = body === undefined && [...parameters.keys()].every((name) => SHOWN.has(name));
    const about = [...parameters].map(([name, value]) => `, ${name} ${names[value] ?? value}`).join('');
    return { method, url, body, row: isShown ? `${operation}${about}` : undefined };
  });
  const json = (url: string, text: string, row: string) => {
    return { method: 'POST', url, body: { type: 'application/json', text }, row };
  };
  const listed = await send(agent, port, first, json('/mcp', LIST_TOOLS, ''));
  const calls = toolCalls(values);
  assert.deepEqual(listedTools(listed.body), Object.keys(calls).sort(), 'a new tool: say how it is called');
  const tools = Object.entries(calls).flatMap(([name, inputs]) =>
    inputs.map((input) => json('/mcp', toolCall(name, input), `POST /mcp, ${name}`)),
  );
  const commands = COMMANDS.flatMap((command) =>
    allOf(command === 'who' ? values.addresses : values.subjects).flatMap((subject) =>
      ['shop', 'vault'].map((namespace) => {
        const words = [command, subject, ...(command === 'who' ? [] : ['-n', namespace]), '-o', 'json'];
        const text = JSON.stringify({ words, zone: 'UTC', namespace: null, colour: false });
        return json('/api/v1/commands', text, `POST /api/v1/commands, ${command}`);
      }),
    ),
  );
  const others = [...Object.keys(paths), '/mcp', '/api/v1/commands'].flatMap((url) =>
    METHODS.map((method) => ({ method, url: `${url}?namespace=vault`, row: `${METHODS.join(', ')} anything` })),
  );
  return [...described, ...commands, ...tools, ...others];
}

/**
 * The pages behind the first one of each listing, by the cursors that the administrator is given: each names the last record
 * of a page, which may be hidden from others. Beside each of those the same cursor with a UID that nobody has.
 */
async function followed(agent: Agent, tenants: HttpTenants, described: readonly Asked[]) {
  const { port, tokens, uids } = tenants;
  const [[, all]] = tokens as unknown as [[string, string]];
  const asked: Asked[] = [];
  const twins: { hidden: string; absent: string; of: string }[] = [];
  for (const { method, url } of described) {
    if (!/[?&]limit=1$/.test(url)) continue;
    let cursor: string | undefined;
    for (let page = 0; page < PAGES; page++) {
      const next = cursor === undefined ? url : `${url}&cursor=${encodeURIComponent(cursor)}`;
      if (cursor !== undefined) asked.push({ method, url: next });
      const { body } = await patiently(agent, port, all, { method, url: next });
      cursor = (JSON.parse(body) as { readonly cursor?: string | null }).cursor ?? undefined;
      if (cursor === undefined) break;
      const [, place = '', key = ''] = /^(.+\.)([\w-]+)$/.exec(cursor) ?? [];
      const named = Buffer.from(key, 'base64url').toString('utf8');
      for (const [of, hidden] of uids) {
        if (!hidden.some((uid) => named.includes(uid))) continue;
        const other = hidden.reduce((text, uid) => text.replaceAll(uid, besideOf(uid)), named);
        const twin = { hidden: cursor, absent: place + Buffer.from(other).toString('base64url'), of };
        if (twins.some((known) => known.hidden === twin.hidden)) continue;
        twins.push(twin);
      }
    }
    if (cursor !== undefined) asked.push({ method, url: `${url}&cursor=${encodeURIComponent(cursor)}` });
  }
  for (const { hidden, absent } of twins) {
    for (const one of [...asked].filter(({ url }) => url.endsWith(`cursor=${encodeURIComponent(hidden)}`)))
      asked.push({ ...one, url: one.url.replace(encodeURIComponent(hidden), encodeURIComponent(absent)) });
  }
  return { asked, twins };
}

/**
 * A UID that nobody has, with no other between the two: records of one second follow each other by their UIDs, so that a
 * UID elsewhere is another place in the listing, and no twin.
 */
function besideOf(uid: string): string {
  return `${uid.slice(0, -1)}${uid.endsWith('0') ? '1' : '0'}`;
}

async function askAll(
  agent: Agent,
  { port, tokens }: HttpTenants,
  user: string,
  asked: readonly Asked[],
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  let next = 0;
  const lane = async () => {
    while (next < asked.length) {
      const at = next++;
      answers[at] = await patiently(agent, port, tokens.get(user) ?? '', asked[at] as Asked);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return answers;
}

/** Each caller has a rate of its own, and logs are attributed four at once: then it asks again. */
async function patiently(agent: Agent, port: number, token: string, asked: Asked): Promise<Answer> {
  for (;;) {
    const answer = await send(agent, port, token, asked);
    if (answer.status !== 429 && answer.status !== 503) return answer;
    await sleep(200);
  }
}

function send(agent: Agent, port: number, token: string, { method, url, body }: Asked): Promise<Answer> {
  const headers = {
    ...{ authorization: `Bearer ${token}`, 'x-request-id': 'matrix', accept: 'application/json, text/event-stream' },
    ...(body === undefined ? {} : { 'content-type': body.type, 'content-length': Buffer.byteLength(body.text) }),
  };
  return new Promise((resolve, reject) => {
    const sent = request({ agent, host: '127.0.0.1', port, path: url, method, headers }, async (response) => {
      // Whether it goes on depends on how much of the body had come by then.
      const { date: _, connection: _on, 'keep-alive': _for, ...rest } = response.headers;
      const text = Buffer.concat(await response.toArray()).toString('utf8');
      resolve({ status: response.statusCode ?? 0, headers: JSON.stringify(rest), body: text });
    });
    sent.on('error', reject).end(body?.text);
  });
}

/** Answers repeat the question. */
function said({ values }: HttpTenants, { url, body }: Asked, answer: Answer): string {
  let text = answer.body + answer.headers;
  const inBody = [...allOf(values.addresses), ...allOf(values.subjects)].filter((value) => body?.text.includes(value));
  for (const value of [...new URL(url, 'https://x').searchParams.values(), ...inBody].sort(byLength)) {
    text = text.replaceAll(value, '');
  }
  return text;
}

const byLength = (a: string, b: string) => b.length - a.length;

function check(tenants: HttpTenants, user: string, asked: Asked, answer: Answer): void {
  const of = `${user} ${asked.method} ${asked.url} ${asked.body?.text ?? ''}`;
  assert.ok(answer.status < 500, `${of}: ${answer.status} ${answer.body}`);
  if (user === [...tenants.tokens.keys()].at(-1))
    assert.ok([401, 404, 405].includes(answer.status) || isOpen(asked), of);
  const text = said(tenants, asked, answer);
  for (const [namespace, marker] of tenants.markers) {
    if (tenants.sees[user]?.includes(namespace) !== true) assert.doesNotMatch(text, marker, `${of}: ${answer.body}`);
  }
}

function isOpen({ url }: Asked): boolean {
  return url === '/openapi.json';
}

function cellOf(tenants: HttpTenants, asked: Asked, answer: Answer): string {
  if (answer.status >= 300) return String(answer.status);
  const text = said(tenants, asked, answer);
  const seen = [...tenants.markers].flatMap(([namespace, marker]) => (marker.test(text) ? [namespace] : []));
  return seen.join(' ') || 'nothing';
}

/** A row may be of several requests: all that any of them shows, or how each was refused. */
function note(rows: Map<string, Map<string, string>>, row: string, user: string, cell: string): void {
  const cells = rows.get(row) ?? new Map<string, string>();
  const all = new Set(`${cells.get(user) ?? ''} ${cell}`.trim().split(' '));
  rows.set(row, cells.set(user, [...all].sort().join(' ')));
}

/** What is hidden is answered as what is not there: status, headers, and all of the body but the question and the times. */
function compareTwins(tenants: HttpTenants, user: string, asked: readonly Asked[], answers: readonly Answer[]): number {
  const keyOf = ({ method, url, body }: Asked) => `${method} ${url} ${body?.text ?? ''}`;
  const byKey = new Map(asked.map((question, at) => [keyOf(question), answers[at] as Answer]));
  let compared = 0;
  for (const { hidden, absent, of } of tenants.twins) {
    if (tenants.sees[user]?.includes(of) === true) continue;
    const plain = ({ status, headers, body }: Answer) => [
      status,
      ...[headers, body].map((text) =>
        [hidden, absent, encodeURIComponent(hidden)]
          .reduce((left, value) => left.replaceAll(value, 'ASKED'), text)
          .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
          // Of a timeline that is empty: where it begins and how wide its buckets are follow from the instant of asking.
          .replaceAll(/(\\?"(?:base|bucketMs)\\?":)\d+/g, '$1TIME')
          .replaceAll(/\[0(?:,0)+\]/g, '[0]')
          // What was watched by the instant of the answer is no matter of who is asked about.
          .replaceAll(/\\?"(?:provisional\\?":\w+|unwatched\\?":\[[^\]]*\]|coverage\\?":\{[^\]]*\]\})/g, '')
          .replaceAll(/\\?"(?:etag|content-length)\\?":\\?"[^,}]*/g, ''),
      ),
    ];
    for (const question of asked) {
      const key = keyOf(question);
      if (!key.includes(hidden)) continue;
      const twin = byKey.get(key.replaceAll(hidden, absent));
      if (twin === undefined) continue;
      compared++;
      assert.deepEqual(plain(byKey.get(key) as Answer), plain(twin), `${user} ${key}: as ${absent}`);
    }
  }
  return compared;
}

/** The rows as a table. */
export function httpTable(users: readonly string[], { rows }: HttpMatrix): readonly string[] {
  return [
    `| request | ${users.join(' | ')} |`,
    `|---|${users.map(() => '---').join('|')}|`,
    ...[...rows].map(([row, cells]) => `| \`${row}\` | ${users.map((user) => cells.get(user)).join(' | ')} |`),
  ];
}
