// One request that nobody should send, made from a seed: the API's own paths and parameters, with values, methods, headers
// and bodies that are right, nearly right, or nonsense; and now and then bytes that are no request at all.
import type { Chance } from '../random.ts';

export interface DescribedPath {
  readonly path: string;
  readonly method: string;
  readonly parameters: readonly { readonly name: string; readonly schema: { readonly type?: string } }[];
}

export interface FuzzedRequest {
  readonly bytes: Buffer;
  /** The stream that it opens has no end of its own. */
  readonly isEndless: boolean;
  /** Nobody can say where the answer to it ends. */
  readonly isNonsense: boolean;
  /** How it is sent: at once, in two parts, several ahead of their answers, or with an end after it. */
  readonly sent: 'whole' | 'in-parts' | 'ahead' | 'half-closed';
  /** It claims to be somebody by headers alone: nothing but 401 is right. */
  readonly isForged: boolean;
}

const VALUES = [
  ...[
    '10.0.0.1',
    '10.0.0.3',
    'fd00::1',
    '::ffff:10.0.0.1',
    '192.168.0.1',
    '10.0.0.256',
    '0',
    '-1',
    '5',
    '10000',
    '10001',
  ],
  ...[
    'ip=10.0.0.1',
    'ip%3Dfd00::1,at%3Dthen',
    'node!=node-a',
    'pod%3Dpod-7,,',
    'app in (cart,',
    'x%3D%3D%3Dy',
    'Exact',
  ],
  ...[
    'true',
    'false',
    '1970-01-01T10:00:00Z',
    '1970-01-01T10:00:00+01:00',
    '9999-12-31T23:59:59Z',
    '1794700800',
    '15m',
  ],
  ...['node-a', 'pod-7', 'shop', 'vault', 'deploy/cart', 'svc/cart', 'uid-pod-7', 'Evicted,Rollout', 'c', 'other', ''],
  ...[
    '../../etc/passwd',
    '%00',
    '%ff%fe',
    '%',
    '%u2028',
    "' OR 1=1 --",
    '<script>',
    '\\',
    '__proto__',
    'constructor',
    'NaN',
  ],
  ...[
    '1e309',
    '00000000000000000000000000000000000000001',
    'a'.repeat(600),
    '%F0%9F%A6%8A',
    'csv',
    'jsonl',
    'src',
    'start',
  ],
];
const METHODS = ['GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'];
const HEADERS = [
  ...[
    'accept-encoding: gzip',
    'accept-encoding: gzip;q=0, *',
    'accept: text/html',
    'if-none-match: *',
    'if-none-match: "x", W/"y"',
  ],
  ...[
    'x-request-id: mine-1',
    'x-request-id: \u00ff\u00fe',
    'last-event-id: nonsense',
    'range: bytes=0-10',
    'cookie: podtrail-1=x; a',
  ],
  ...[
    'content-type: application/json',
    'content-type: text/csv',
    'content-type: ;;;',
    'content-encoding: gzip',
    'te: trailers',
  ],
  ...[
    'authorization: Basic x',
    'origin: http://evil.example',
    'host: evil.example',
    'expect: 100-continue',
    'upgrade: websocket',
  ],
  ...[`x-long: ${'x'.repeat(20_000)}`, 'connection: upgrade', 'x-forwarded-for: 1.2.3.4'],
];
const BODIES = [
  ...[
    '',
    '{}',
    '[]',
    'null',
    '{"questions":[]}',
    '{"questions":[{"ip":"10.0.0.1"}]}',
    '{"questions":[{"ip":5}]}',
    '{"questions":{}}',
  ],
  ...[
    '{"questions":[{"ip":"10.0.0.1","at":"then"}]}',
    '{"__proto__":{"a":1},"questions":[{"ip":"10.0.0.1"}]}',
    '{',
    '"',
  ],
  ...[
    'src,start\n10.0.0.1,1970-01-01T10:00:00Z\n',
    'src,start\n"',
    'src;start\n1;2\n',
    '\u0000\u0001\u0002',
    '{"src":"10.0.0.1"}\n',
  ],
  ...[
    `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
    '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who_had_ip","arguments":{"ip":"10.0.0.1"}}}',
    '{"words":["who","10.0.0.1"],"zone":"UTC","namespace":null,"colour":false}',
    '{"words":["trail","deploy/cart","-n","shop","-o","yaml"],"zone":"Nowhere/None","namespace":"shop","colour":true}',
    '{"words":["store","status"],"zone":"UTC","namespace":null,"colour":false}',
    '{"kind":"IPAttribution","spec":{"ip":"10.0.0.1","at":"1970-01-01T10:00:00Z"}}',
    '{"kind":"IPAttribution","apiVersion":"history.podtrail.dev/v1","spec":{"ip":"x"}}',
    '{"kind":"Pod","spec":null}',
    '{"questions":[{"ip":"\u00ff\u00fe"}]}',
    '\u001f\u008b\u0008\u0000',
  ],
];
/** Longer than any route takes; without a length it is refused while it comes. */
const LONG_BODY = 'x'.repeat(1_100_000);
const NONSENSE = [
  ...[
    '\u0000\u0001\r\n\r\n',
    'GET\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET  / HTTP/1.1\r\n\r\n',
    'get / http/1.1\r\n\r\n',
  ],
  ...[
    'POST /api/v1/who HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n',
    'POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  ],
  ...[
    'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ],
];

export function fuzzedRequest(
  chance: Chance,
  paths: readonly DescribedPath[],
  /** The header that says who asks. */
  identity: string,
  host: string,
): FuzzedRequest {
  if (chance.next() < 0.01) {
    return { bytes: Buffer.from(chance.pick(NONSENSE), 'latin1'), ...PLAIN, isNonsense: true };
  }
  const described = chance.pick(paths);
  if (described.path.startsWith('/api/v1/') && !described.path.includes('..') && chance.next() < 0.03)
    return forgedRequest(chance, described, host);
  const method = chance.next() < 0.8 ? described.method : chance.pick(METHODS);
  const path =
    chance.next() < 0.97 ? described.path : `${described.path}${chance.pick(['/', '/x', '//', '/%2e%2e', ';a', '#a'])}`;
  const query = queryOf(chance, described);
  const headers = chance.next() < 0.97 ? [`host: ${host}`, identity] : [];
  for (let n = Math.floor(chance.next() * 3); n > 0; n--) headers.push(chance.pick(HEADERS));
  const isLong = chance.next() < 0.01;
  const body = method === 'GET' || method === 'HEAD' ? '' : isLong ? LONG_BODY : chance.pick(BODIES);
  if (body !== '' && !headers.some((header) => header.startsWith('content-type'))) {
    headers.push(`content-type: ${chance.pick(['application/json', 'application/json', 'text/csv', 'text/plain'])}`);
  }
  const isChunked = body !== '' && (isLong || chance.next() < 0.2);
  const isBroken = isChunked && !isLong && chance.next() < 0.3;
  const bytes = Buffer.from(isChunked ? chunked(chance, body, isBroken) : body, 'latin1');
  headers.push(isChunked ? 'transfer-encoding: chunked' : `content-length: ${bytes.length}`);
  const target = query === '' ? path : `${path}?${query}`;
  const head = `${method} ${target.replaceAll(/[ \r\n]/g, '%20')} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`;
  return {
    bytes: Buffer.concat([Buffer.from(head, 'latin1'), bytes]),
    ...PLAIN,
    isEndless: described.path.endsWith('/live') || query.includes('watch='),
    // A body that is refused is not read to its end: the connection ends, now and then before the answer is read.
    isNonsense: isBroken || isLong,
    sent: chance.next() < 0.9 ? 'whole' : chance.pick(['in-parts', 'ahead', 'half-closed']),
  };
}

const PLAIN = { isEndless: false, isNonsense: false, sent: 'whole', isForged: false } as const;

/** As an API server names users to those behind it, without the certificate of one. */
export function forgedRequest(chance: Chance, { path, method }: DescribedPath, host: string): FuzzedRequest {
  const claims = [
    'x-remote-user: system:admin',
    'x-remote-group: system:masters',
    `x-remote-extra-scopes: ${chance.pick(VALUES).replaceAll(/[^ -~]/g, '')}`,
    'x-forwarded-user: system:admin',
    'impersonate-user: system:admin',
    `x-client-cert: ${'A'.repeat(100)}`,
  ];
  const headers = [`host: ${host}`, ...claims, 'content-length: 0'];
  const bytes = Buffer.from(`${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`, 'latin1');
  return { ...PLAIN, bytes, isForged: true };
}

/** A body in chunks; a broken one has a length that is wrong, none, or no end. */
function chunked(chance: Chance, body: string, isBroken: boolean): string {
  const half = Math.ceil(body.length / 2);
  const parts = [body.slice(0, half), body.slice(half)].filter((part) => part !== '');
  const text = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
  if (!isBroken) return `${text}0\r\n\r\n`;
  return chance.pick([
    text,
    `zz\r\n${body}\r\n0\r\n\r\n`,
    `fffffffffffffffff\r\n${body}`,
    `-1\r\n\r\n`,
    `${text}0\r\n: x\r\n\r\n`,
  ]);
}

function queryOf(chance: Chance, { parameters }: DescribedPath): string {
  const pairs: string[] = [];
  for (const { name } of parameters) if (chance.next() < 0.5) pairs.push(`${name}=${parameterText(chance)}`);
  if (chance.next() < 0.05) pairs.push(`${chance.pick(VALUES)}=${parameterText(chance)}`);
  if (chance.next() < 0.03 && pairs.length > 0) pairs.push(chance.pick(pairs));
  if (chance.next() < 0.02) pairs.push('&&=&');
  return pairs.join('&');
}

function parameterText(chance: Chance): string {
  if (chance.next() < 0.9) return chance.pick(VALUES);
  return Array.from({ length: 1 + Math.floor(chance.next() * 12) }, () =>
    String.fromCharCode(33 + Math.floor(chance.next() * 222)),
  ).join('');
}
