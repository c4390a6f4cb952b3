// Who sees what through the history API: users × namespaces × endpoints × forms, made from the discovery and OpenAPI
// documents that the servers serve, so that a new endpoint cannot be forgotten. No answer to whoever may not list the pods
// of a namespace may show anything of it, nor that it exists. docs/access-matrix.md is the table of what was found.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { KeyAndCertificate } from './controlplane/certificate-authority.ts';
import { until, useCluster } from './controlplane/index.ts';
import { install } from './operator-stage.ts';
import { Hand } from './podtracker-stage.ts';
import { type HttpTenants, httpMatrix, httpTable } from './serving-http-access.ts';
import { askDirectly } from './serving-requests.ts';
import { HISTORY, type ServedHistory, serveHistory } from './serving-stage.ts';

const USERS = ['reader', 'shop-reader', 'shop-wide', 'nobody', 'stranger'] as const;
type User = (typeof USERS)[number];
const cluster = await useCluster({ needs: ['own control plane'], controllerManager: true });
const { skip } = cluster;
const leavings: (() => Promise<unknown>)[] = [];
const stage = { after: (done: () => Promise<unknown>) => void leavings.push(done) };
const MATRIX = new URL('../docs/access-matrix.md', import.meta.url);
const ROOT = `/apis/${HISTORY}/v1`;
/** Of nobody. */
const NO_UID = '00000000-0000-4000-8000-000000000000';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

const kubectl = (words: string) => cluster.kubectl(words.split(' '));
const json = async (words: string) => JSON.parse(await kubectl(`${words} -o json`));
let hand: Hand;
let served: ServedHistory;
/** When all of shop and vault were there, and when the first life of the namespace twice was. */
let allThere = 0;
let firstLife = 0;
const identities = new Map<User, KeyAndCertificate>();

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: string;
}

async function ask(
  user: User,
  path: string,
  request: { readonly accept?: string; readonly body?: unknown } = {},
): Promise<Answer> {
  const { accept = 'application/json', body } = request;
  const plane = cluster.controlPlane;
  let identity = identities.get(user);
  if (identity === undefined) {
    identity = plane.pki.cluster.issue({ subject: { commonName: user }, usage: 'client' });
    identities.set(user, identity);
  }
  const { key, certificate } = identity;
  const headers = { Accept: accept };
  const answer = await plane.request(path, { key, certificate, headers, ...(body === undefined ? {} : { body }) });
  return { status: answer.status, body: answer.body, headers: JSON.stringify(answer.headers ?? {}) };
}

before(async () => {
  if (skip !== false) return;
  const plane = cluster.controlPlane;
  await install(plane);
  hand = await Hand.of(stage, plane);
  for (const namespace of ['shop', 'vault']) await cluster.kubectl(['create', 'namespace', namespace]);
  for (const node of ['node-1', 'node-2']) await hand.createNode(node);
  served = await serveHistory(stage, plane, 'history-0');
  await served.operator.untilReady();
  let next = 1;
  for (const namespace of ['shop', 'vault']) {
    await hand.createPod(namespace, `${namespace}-stays`, 'node-1', `10.1.0.${next++}`);
    await hand.createPod(namespace, `${namespace}-goes`, 'node-1', `10.1.0.${next++}`);
    await hand.annotate(namespace, `${namespace}-stays`, { [`${namespace}-key`]: `${namespace}-value` });
  }
  // On a node that no other namespace has pods on.
  await hand.createPod('vault', 'vault-far', 'node-2', '10.1.0.5');
  await until('all of them are recorded', async () => (await json('get tenures -A')).items.length === 5);
  allThere = Date.now();
  for (const namespace of ['shop', 'vault']) await hand.deletePod(namespace, `${namespace}-goes`);
  await until('the moves are recorded', async () => (await json('get moves -A')).items.length === 2);
  await until('the changes are recorded', async () => (await json('get changes -A')).items.length === 2);
  const bind = (words: string) => kubectl(`create ${words}`);
  await bind('clusterrolebinding reader --clusterrole=view --user=reader');
  for (const user of ['shop-reader', 'shop-wide']) {
    await bind(`rolebinding ${user} -n shop --clusterrole=view --user=${user}`);
  }
  for (const user of ['shop-wide', 'nobody']) {
    await bind(`clusterrolebinding ${user} --clusterrole=podtrail-history-viewer --user=${user}`);
  }
  await until('the rights are in force', async () => {
    const [reader, shop, wide, nobody] = await Promise.all([
      ask('reader', `${ROOT}/tenures`),
      ask('shop-reader', `${ROOT}/namespaces/shop/tenures`),
      ask('shop-wide', `${ROOT}/tenures`),
      ask('nobody', `${ROOT}/tenures`),
    ]);
    return (
      [reader, shop, wide].every(({ status }) => status === 200) && /cannot list resource .{0,3}pods/.test(nobody.body)
    );
  });
});

after(async () => {
  for (const leave of leavings.reverse()) await leave();
});

/** Of the pods of a namespace that are there, or have ended. */
async function uidsOf(namespace: string): Promise<readonly string[]> {
  const { items } = await json(`get placements -A`);
  const { items: moves } = await json(`get moves -A`);
  return [...items, ...moves]
    .filter((item: { metadata: { namespace: string } }) => item.metadata.namespace === namespace)
    .map((item: { pod: { uid: string } }) => item.pod.uid);
}

/** As the cursor of a page that ended with this pod is written. */
function cursorOf(uid: string): string {
  return `AAAAAAAA.${allThere}.${Buffer.from(uid).toString('base64url')}`;
}

/** What is of a namespace, and must not be seen by others. */
async function markersOf(namespace: string): Promise<RegExp> {
  const uids = await uidsOf(namespace);
  assert.ok(uids.length >= 2);
  const addresses = namespace === 'shop' ? ['10.1.0.1', '10.1.0.2'] : ['10.1.0.3', '10.1.0.4', '10.1.0.5'];
  const texts = [...uids, ...addresses.flatMap((ip) => [ip.replaceAll('.', '\\.'), ip.replaceAll('.', '-')])];
  return new RegExp([...texts, `${namespace}-(?:stays|goes|far|key|value)`].join('|'));
}

interface Endpoint {
  readonly path: string;
  readonly method: 'get' | 'post';
  readonly plural: string;
}

/** Every operation of the OpenAPI document; each resource of discovery has one. */
async function endpoints(): Promise<Endpoint[]> {
  const plane = cluster.controlPlane;
  // The API server fetches the document of an aggregated API some time after it serves the API itself.
  const openApi = await until('the OpenAPI document is there', async () => {
    const { status, body } = await plane.request(`/openapi/v3/apis/${HISTORY}/v1`);
    return status === 200 && body !== '' && JSON.parse(body);
  });
  const found: Endpoint[] = [];
  for (const [path, operations] of Object.entries(openApi.paths as Record<string, object>)) {
    const [, plural] = /\/v1\/(?:namespaces\/\{namespace\}\/)?([a-z]+)(?:\/\{name\})?$/.exec(path) ?? [];
    for (const method of ['get', 'put', 'post', 'delete', 'patch'] as const) {
      if (!(method in operations) || plural === undefined) continue;
      assert.ok(method === 'get' || method === 'post', `${method} ${path} is new: say here how it is asked`);
      found.push({ path, method, plural });
    }
  }
  const { resources } = (await plane.request(ROOT)).json();
  for (const { name } of resources)
    assert.ok(
      found.some(({ plural }) => plural === name),
      `${name} has no path`,
    );
  for (const { plural } of found)
    assert.ok(
      resources.some(({ name }: { name: string }) => name === plural),
      plural,
    );
  return found;
}

/** An object of the namespace, as the administrator finds it. */
async function nameIn(namespace: string, plural: string): Promise<string> {
  if (plural === 'gaps') return 'start-1000';
  const [first] = (await json(`get ${plural}.${HISTORY} -n ${namespace}`)).items;
  return first.metadata.name;
}

/** A section of the page, as it was found; it must be what the page has. */
async function checkSection(heading: string, lines: readonly string[]): Promise<void> {
  const page = await readFile(MATRIX, 'utf8');
  const section = `## ${heading}\n\n${lines.join('\n')}\n`;
  const found = new RegExp(`^## ${heading}\\n[\\s\\S]*?(?=\\n## |(?![\\s\\S]))`, 'm');
  assert.match(page, found);
  const expected = page.replace(found, () => section);
  if (process.env['PODTRAIL_WRITE'] === '1') await writeFile(MATRIX, expected);
  assert.equal(await readFile(MATRIX, 'utf8'), expected);
}

/** Who sees a part, or nothing: the others see all, or are refused by the API server before a selector is looked at. */
const SELECTING: ReadonlySet<User> = new Set(['shop-reader', 'shop-wide', 'nobody']);

/** By field, what is of shop, of vault and of nobody; empty: it names nothing of the ledger, or has a path of its own. */
async function selectorValues(): Promise<Readonly<Record<string, readonly string[]>>> {
  const [[shop = ''], [vault = '']] = [await uidsOf('shop'), await uidsOf('vault')];
  return {
    ip: ['10.1.0.1', '10.1.0.3', '10.1.0.4', '10.1.0.200'],
    node: ['node-1', 'node-2', 'node-9'],
    pod: ['shop-stays', 'vault-stays', 'no-such-pod'],
    uid: [shop, vault, NO_UID],
    workload: ['Rollout/shop', 'Rollout/vault', 'Rollout/nobody'],
    cause: ['DeletedOnRequest', 'Preempted'],
    at: [String(allThere)],
    since: [String(allThere - 60_000)],
    until: [String(allThere)],
    'metadata.name': [],
    'metadata.namespace': ['shop', 'vault', 'nowhere'],
  };
}

/** Every field by which a resource is selected, as the server itself says when it refuses another; each with its values. */
async function selectorsOf(plural: string): Promise<readonly string[]> {
  const { body } = await ask('reader', `${ROOT}/${plural}?fieldSelector=colour%3Dred`);
  const fields = [...body.matchAll(/(?:there are |, )([a-z.]+) \(/g)].map(([, field = '']) => field);
  assert.ok(fields.length > 0, body);
  const values = await selectorValues();
  return fields.flatMap((field) => {
    const some = values[field] ?? assert.fail(`${field} of ${plural} is new: say here what it is asked with`);
    return some.map((value) => `${field}=${value}`);
  });
}

test('users × namespaces × endpoints: whoever may not list the pods of a namespace sees nothing of it', {
  skip,
  timeout: 900_000,
}, async (t) => {
  const vault = await markersOf('vault');
  const shop = await markersOf('shop');
  const rows = new Map<string, Map<User, string>>();
  let asked = 0;
  const note = (row: string, user: User, { status, body }: Answer) => {
    const sees = `${shop.test(body) ? 'shop ' : ''}${vault.test(body) ? 'vault' : ''}`
      .trim()
      .replace('shop vault', 'all');
    const cell = status === 200 || status === 201 ? sees || 'nothing' : String(status);
    const cells = rows.get(row) ?? new Map<User, string>();
    cells.set(user, cell);
    rows.set(row, cells);
  };
  for (const { path, method, plural } of await endpoints()) {
    const isObject = path.endsWith('{name}');
    const selectors = isObject || method === 'post' ? [] : await selectorsOf(plural);
    const names = isObject ? [await nameIn('shop', plural), await nameIn('vault', plural), NO_UID] : [''];
    const namespaces = path.includes('{namespace}') ? ['shop', 'vault', 'nowhere'] : [''];
    // Each user has a rate of its own, and a watch takes a second.
    const askAs = async (user: User) => {
      for (const namespace of namespaces) {
        for (const [at, name] of names.entries()) {
          const url = path.replace('{namespace}', namespace).replace('{name}', name);
          const label = `${method.toUpperCase()} ${path.slice(ROOT.length)}`;
          const inWhich = namespace === '' ? '' : `, ${namespace}`;
          const whose = isObject ? `, ${['a name of shop', 'a name of vault', 'a name of nobody'][at]}` : '';
          if (method === 'post') {
            for (const ip of ['10.1.0.1', '10.1.0.3', '10.1.0.200']) {
              const spec = { ip, at: new Date(Date.now() - 1).toISOString() };
              const isCommand = plural === 'commands';
              const command = {
                words: ['who', ip, '--at', spec.at, '-o', 'json'],
                zone: 'UTC',
                namespace: null,
                colour: false,
              };
              const posted = isCommand ? { kind: 'Command', spec: command } : { kind: 'IPAttribution', spec };
              const answer = await ask(user, url, { body: { apiVersion: `${HISTORY}/v1`, ...posted } });
              asked++;
              // It repeats the question.
              const said = { ...answer, body: answer.body.replaceAll(ip, 'ASKED') };
              if (user !== 'reader') assert.doesNotMatch(said.body + said.headers, vault, `${user} ${label} ${ip}`);
              if (user === 'shop-wide' && ip === '10.1.0.3' && !isCommand) {
                const free = await ask(user, url, {
                  body: { kind: 'IPAttribution', spec: { ...spec, ip: '10.1.0.200' } },
                });
                const plain = (text: string) => {
                  const { answer: said, reason, holders, evidence } = JSON.parse(text).status;
                  return { said, reason, holders, evidence };
                };
                assert.deepEqual(plain(answer.body), plain(free.body), 'held by others is as nobody has it');
              }
              note(`${label}${inWhich} of ${{ '10.1.0.1': 'shop', '10.1.0.3': 'vault' }[ip] ?? 'nobody'}`, user, said);
            }
            continue;
          }
          const plain = await ask(user, url);
          note(label + inWhich + whose, user, plain);
          const variants = isObject
            ? [['', TABLE]]
            : [
                ['?limit=1', 'application/json'],
                ['', TABLE],
                // A table shows no more than a list: every other one, so that the run stays short.
                ...(SELECTING.has(user) ? selectors : []).map((selector, i) => [
                  `?${i % 2 === 0 ? '' : 'limit=1&'}fieldSelector=${encodeURIComponent(selector)}`,
                  i % 2 === 0 ? TABLE : 'application/json',
                ]),
                ['?watch=true&timeoutSeconds=1&allowWatchBookmarks=true', 'application/json'],
              ];
          for (const [query = '', accept = ''] of variants) {
            const answer = await ask(user, url + query, { accept });
            asked++;
            assert.ok(answer.status < 500, `${user} ${url}${query}: ${answer.status} ${answer.body}`);
            if (user === 'reader') continue;
            // What was asked with is repeated in refusals.
            const said = (answer.body + answer.headers).replaceAll(name === '' ? '\u0000' : name, 'ASKED');
            const [, selected = '\u0000'] =
              /fieldSelector=(.*)$/.exec(decodeURIComponent(query))?.[1]?.split('=') ?? [];
            assert.doesNotMatch(said.replaceAll(selected, 'ASKED'), vault, `${user} ${url}${query}`);
          }
          asked++;
          if (user === 'reader') continue;
          const said = name === '' ? plain.body : plain.body.replaceAll(name, 'ASKED');
          assert.doesNotMatch(said + plain.headers, vault, `${user} ${url}`);
          if (namespace === 'vault') {
            const nowhere = await ask(user, url.replace('/vault/', '/nowhere/'));
            const same = (text: string) =>
              text.replaceAll(/vault|nowhere/g, 'NAMESPACE').replaceAll(name || '\u0000', 'NAME');
            assert.deepEqual([nowhere.status, same(nowhere.body)], [plain.status, same(plain.body)], `${user} ${url}`);
          }
          if (isObject && namespace === 'shop' && at === 1) {
            const nobodys = await ask(user, url.replace(name, NO_UID));
            const same = (text: string) => text.replaceAll(name, 'NAME').replaceAll(NO_UID, 'NAME');
            assert.deepEqual([nobodys.status, same(nobodys.body)], [plain.status, same(plain.body)], `${user} ${url}`);
          }
        }
      }
    };
    await Promise.all(USERS.map(askAs));
  }
  t.diagnostic(`${asked} requests, 0 leaks`);
  const lines = [...rows].map(([row, cells]) => `| \`${row}\` | ${USERS.map((user) => cells.get(user)).join(' | ')} |`);
  await checkSection('Through the API server', [
    'From the discovery and OpenAPI documents that the API server serves. `reader` has `view` in the whole cluster; `shop-reader` has it in the namespace shop; `shop-wide` has that and `podtrail-history-viewer` in the whole cluster; `nobody` has the latter alone, and may list no pods; `stranger` has nothing. There is no namespace `nowhere`.',
    '',
    `| request | ${USERS.join(' | ')} |`,
    `|---|${USERS.map(() => '---').join('|')}|`,
    ...lines,
  ]);
});

/** The UID of a pod of a namespace that was deleted; it was created again, and shop-wide may see the new one. */
const recreated = (() => {
  let uid: Promise<string> | undefined;
  return () => (uid ??= recreate());
})();

async function recreate(): Promise<string> {
  await kubectl('create namespace twice');
  await hand.createPod('twice', 'first-life', 'node-1', '10.1.0.9');
  await hand.annotate('twice', 'first-life', { 'first-key': 'first-value' });
  await until('it is recorded', async () => (await json('get changes -n twice')).items.length === 1);
  firstLife = Date.now();
  await hand.deletePod('twice', 'first-life');
  await until('its end is recorded', async () => (await json('get moves -n twice')).items.length === 1);
  await kubectl('delete namespace twice --timeout=120s');
  await kubectl('create namespace twice');
  await kubectl('create rolebinding again -n twice --clusterrole=view --user=shop-wide');
  await hand.createPod('twice', 'second-life', 'node-1', '10.1.0.10');
  await until('the second one is seen', async () => {
    const { status, body } = await ask('shop-wide', `${ROOT}/namespaces/twice/tenures`);
    return status === 200 && body.includes('second-life');
  });
  return (await json('get moves -n twice')).items[0].pod.uid;
}

test('of a namespace that was created again nothing of its predecessor is shown', {
  skip,
  timeout: 240_000,
}, async () => {
  const uid = await recreated();
  const first = new RegExp(`first-(?:life|key|value)|10\\.1\\.0\\.9\\D|10-1-0-9\\D|${uid}`);
  for (const { path, method, plural } of await endpoints()) {
    if (method !== 'get' || plural === 'gaps') continue;
    const name = path.endsWith('{name}') ? await nameIn('twice', plural).catch(() => uid) : '';
    const url = path.replace('{namespace}', 'twice').replace('{name}', name);
    const selectors = name === '' ? ['', 'ip=10.1.0.9', `uid=${uid}`, 'node=node-1'] : [''];
    for (const selector of selectors) {
      const { body } = await ask('shop-wide', `${url}?fieldSelector=${encodeURIComponent(selector)}`);
      assert.doesNotMatch(body.replaceAll(name === '' ? '\u0000' : name, ''), first, `${url} ${selector}`);
    }
  }
  assert.ok(
    (await json('get tenures -A --field-selector ip=10.1.0.9')).items.length === 1,
    'the administrator sees it',
  );
});

const ROBOTS = ['reader', 'shop-reader', 'twice-reader', 'nobody', 'stranger'] as const;

/** ServiceAccounts with their tokens for the operator; that of the stranger is for the API server. */
async function robots(): Promise<ReadonlyMap<string, string>> {
  await kubectl('create namespace robots');
  for (const robot of ROBOTS) await kubectl(`create serviceaccount ${robot} -n robots`);
  const bind = (words: string, robot: string) =>
    kubectl(`create ${words} --clusterrole=view --serviceaccount=robots:${robot}`);
  await bind('clusterrolebinding robot-reader', 'reader');
  await bind('rolebinding robot-reader -n shop', 'shop-reader');
  await bind('rolebinding robot-reader -n twice', 'twice-reader');
  const tokens = new Map<string, string>();
  for (const robot of ROBOTS) {
    const audience = robot === 'stranger' ? '' : ' --audience=podtrail';
    tokens.set(robot, (await kubectl(`create token ${robot} -n robots${audience}`)).trim());
  }
  const answer = async (robot: string, ip: string) => {
    const headers = { Authorization: `Bearer ${tokens.get(robot)}` };
    return JSON.parse((await askDirectly(served.port, `/api/v1/who?ip=${ip}`, { headers })).body).answer;
  };
  await until('their rights are in force', async () => {
    const seen = [answer('reader', '10.1.0.3'), answer('shop-reader', '10.1.0.1'), answer('twice-reader', '10.1.0.10')];
    return (await Promise.all(seen)).every((said) => said === 'held');
  });
  return tokens;
}

test('the same with bearer tokens at the operator itself: every operation of /openapi.json, commands and tools', {
  skip,
  timeout: 420_000,
}, async (t) => {
  const firstUid = await recreated();
  const tokens = await robots();
  for (const name of ['shop', 'vault']) {
    const tracker = { apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', metadata: { name: `of-${name}` } };
    const input = JSON.stringify({ ...tracker, spec: { namespaces: [name] } });
    await cluster.kubectl(['apply', '-f', '-'], { input });
  }
  const { items: moves } = await json('get moves -A');
  const uidOf = (pod: string) => moves.find((move: { pod: { name: string } }) => move.pod.name === pod).pod.uid;
  const markers = async (namespace: string) =>
    new RegExp(`${(await markersOf(namespace)).source.replaceAll('\\.1|', '\\.1(?!\\d)|')}|of-${namespace}`);
  const tenants: HttpTenants = {
    ...{ port: served.port, tokens },
    markers: new Map([
      ['shop', await markers('shop')],
      ['vault', await markers('vault')],
      ['twice', /second-life|10\.1\.0\.10(?!\d)/],
      ['before', new RegExp(`first-(?:life|key|value)|10\\.1\\.0\\.9(?!\\d)|${firstUid}`)],
    ]),
    sees: {
      reader: ['shop', 'vault', 'twice', 'before'],
      'shop-reader': ['shop'],
      'twice-reader': ['twice'],
    },
    values: {
      addresses: { shown: ['10.1.0.1'], hidden: ['10.1.0.3', '10.1.0.4', '10.1.0.9'], absent: ['10.1.0.200'] },
      subjects: {
        shown: ['shop-stays'],
        hidden: ['vault-stays', uidOf('vault-goes'), 'first-life'],
        absent: ['no-such-pod', NO_UID],
      },
      namespaces: { shown: ['shop'], hidden: ['vault'], absent: ['nowhere'] },
      nodes: { shown: ['node-1'], hidden: ['node-2'], absent: ['node-9'] },
      keys: { shown: ['shop-key'], hidden: ['vault-key'], absent: ['no-key'] },
      // Of no question; those of pages are followed besides.
      cursors: {
        shown: [cursorOf(uidOf('shop-goes'))],
        hidden: [cursorOf(uidOf('vault-goes'))],
        absent: [cursorOf(NO_UID), 'nonsense'],
      },
      at: [allThere, firstLife],
      since: allThere - 60_000,
      until: firstLife,
    },
    uids: new Map([
      ['vault', await uidsOf('vault')],
      ['before', [firstUid]],
    ]),
    names: {
      ...{ '10.1.0.1': 'of shop', '10.1.0.3': 'of vault', '10.1.0.4': 'once of vault', '10.1.0.9': 'once of twice' },
      ...{ '10.1.0.200': 'of nobody', [uidOf('vault-goes')]: 'a UID of vault', [NO_UID]: 'a UID of nobody' },
    },
    twins: [
      ...['10.1.0.3', '10.1.0.4'].map((hidden) => ({ hidden, absent: '10.1.0.200', of: 'vault' })),
      { hidden: '10.1.0.9', absent: '10.1.0.200', of: 'before' },
      { hidden: 'vault-stays', absent: 'no-such-pod', of: 'vault' },
      { hidden: 'first-life', absent: 'no-such-pod', of: 'before' },
      { hidden: uidOf('vault-goes'), absent: NO_UID, of: 'vault' },
      { hidden: 'vault', absent: 'nowhere', of: 'vault' },
      { hidden: 'node-2', absent: 'node-9', of: 'vault' },
      { hidden: 'vault-key', absent: 'no-key', of: 'vault' },
      { hidden: cursorOf(uidOf('vault-goes')), absent: cursorOf(NO_UID), of: 'vault' },
    ],
  };
  await until('the trackers are known', async () => {
    const headers = { Authorization: `Bearer ${tokens.get('reader')}` };
    const { body } = await askDirectly(served.port, '/api/v1/trackers', { headers });
    return body.includes('of-shop') && body.includes('of-vault');
  });
  const found = await httpMatrix(tenants);
  t.diagnostic(
    `${found.asked} requests, ${found.compared} compared with what is not there, ${found.cursors} cursors, 0 leaks`,
  );
  assert.ok(found.compared > 300 && found.cursors >= 3, `${found.compared} ${found.cursors}`);
  await checkSection('At the operator itself', [
    'From the `/openapi.json` of the operator, with bearer tokens of ServiceAccounts. `reader` has `view` in the whole cluster, `shop-reader` in the namespace shop, `twice-reader` in the namespace twice, which was deleted and created again (`before` is what was in the deleted one); `nobody` has no rights; the token of `stranger` is for another audience. A row of several requests says what any of them showed.',
    '',
    ...httpTable(ROBOTS, found),
  ]);
});
