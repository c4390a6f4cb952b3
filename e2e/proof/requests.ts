// `npm run proof -- requests`: servers that are sent what nobody should send them, from a seed: `podtrail serve`, and the
// aggregated API behind TLS. They must neither end nor say that they failed: 4xx is an answer, 503 is one, any other 5xx is
// a bug. No cluster is needed.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { openStore } from '@podtrail/history';
import { ledgerFacts, SeededNumbers } from '@podtrail/history/testing';
import { Chance } from './random.ts';
import { aggregatedTarget } from './requests/aggregated-target.ts';
import { type DescribedPath, fuzzedRequest } from './requests/fuzzed-request.ts';
import { type Outcome, RequestLane } from './requests/request-lane.ts';
import { type ConnectionKind, endServer, portOf, type RequestTarget, startServer } from './requests/request-target.ts';
import { residentBytes } from './resident-memory.ts';

const PODTRAIL = join(import.meta.dirname, '../../packages/cli/src/main.ts');
const TOKEN = 'a-token-of-the-proof-of-requests';
const LANES = 32;
const REPORT_EVERY = 100_000;
const MOST_KEPT = 20;
/** Beside what the OpenAPI document has. */
const POSTED = ['/mcp', '/api/v1/commands'];

export interface RequestsOptions {
  readonly seed: number;
  readonly requests: number;
  readonly out: string;
  log(line: string): void;
}

export interface RequestsProof {
  readonly requests: number;
  /** Statuses, and what was none, with how often. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly crashes: number;
  /** 5xx that are not 503, requests without an answer, forged identities that are not 401, and crashes. */
  readonly wrong: number;
  readonly perSecond: number;
  readonly peakRssBytes: number;
}

export async function proveRequests(options: RequestsOptions, write: (text: string) => void): Promise<RequestsProof> {
  const { seed, out, log } = options;
  const store = `sqlite:${join(out, 'requests.db')}`;
  const engine = await openStore(store, { access: 'write' });
  await (await engine.takeOver({ id: 'c', name: 'c' })).append({
    facts: ledgerFacts(new SeededNumbers(seed), ['shop', 'vault']),
  });
  await engine.close();
  const targets: RequestTarget[] = [];
  try {
    targets.push(await servedTarget(store, out));
    targets.push(await aggregatedTarget(store, out));
    const result = await fuzz(targets, options);
    write(`${reportOf(result, seed)}\n`);
    return result;
  } finally {
    for (const { child } of targets) await endServer(child);
    log('the servers have ended');
  }
}

async function fuzz(targets: readonly RequestTarget[], options: RequestsOptions): Promise<RequestsProof> {
  const { seed, requests, out, log } = options;
  let crashes = 0;
  for (const { name, child } of targets) {
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-10_000)));
    child.once('exit', (code, signal) => {
      crashes++;
      log(`${name} ended by itself (${code ?? signal}): ${said}`);
    });
  }
  const outcomes = new Map<string, number>();
  const kept: string[] = [];
  let sent = 0;
  let wrong = 0;
  let peakRssBytes = 0;
  const begun = performance.now();
  // Each lane has a share and chances of its own: what is sent does not depend on which target is the faster one.
  const lane = async ({ connect, nextRequest }: ConnectionKind, at: number) => {
    const connection = new RequestLane(connect);
    const chance = new Chance(seed * LANES + at);
    const share = Math.floor(requests / LANES) + (at < requests % LANES ? 1 : 0);
    for (let left = share; left > 0 && crashes === 0; left--) {
      if (++sent % REPORT_EVERY === 0) log(`${sent} requests, ${rate(sent, begun).toFixed(0)} a second`);
      if (sent % 1_000 === 0) peakRssBytes = Math.max(peakRssBytes, await largestOf(targets));
      const request = nextRequest(chance);
      const outcome = await connection.send(request);
      outcomes.set(String(outcome), (outcomes.get(String(outcome)) ?? 0) + 1);
      if (!isWrong(outcome) && (!request.isForged || outcome === 401)) continue;
      wrong++;
      if (kept.length < MOST_KEPT) kept.push(`${outcome}: ${JSON.stringify(request.bytes.toString('latin1'))}`);
    }
    connection.close();
  };
  const lanes = targets.flatMap(({ kinds }) =>
    Array.from({ length: LANES / targets.length }, (_, at) => kinds[at % kinds.length] as ConnectionKind),
  );
  await Promise.all(lanes.map(lane));
  for (const { child } of targets) child.removeAllListeners('exit');
  const perSecond = rate(sent, begun);
  if (kept.length > 0) await writeFile(join(out, 'wrong-requests.txt'), `${kept.join('\n')}\n`);
  const counts = Object.fromEntries([...outcomes].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { requests: sent, outcomes: counts, crashes, wrong: wrong + crashes, perSecond, peakRssBytes };
}

/** `podtrail serve`, by its token. */
async function servedTarget(store: string, out: string): Promise<RequestTarget> {
  const tokenFile = join(out, 'token');
  await writeFile(tokenFile, TOKEN, { mode: 0o600 });
  const words = ['--port', '0', '--rate-limit', '0', '--token-file', tokenFile, '--access-log'];
  const child = startServer([PODTRAIL, 'serve', '--store', store, ...words]);
  const port = await portOf(child);
  const paths = await describedPaths(port);
  const identity = `authorization: Bearer ${TOKEN}`;
  return {
    ...{ name: 'podtrail serve', child },
    kinds: [
      {
        connect: async () => {
          const socket = connect(port, '127.0.0.1');
          await once(socket, 'connect');
          return socket;
        },
        nextRequest: (chance) => fuzzedRequest(chance, paths, identity, `127.0.0.1:${port}`),
      },
    ],
  };
}

async function largestOf(targets: readonly RequestTarget[]): Promise<number> {
  const sizes = await Promise.all(targets.map(({ child }) => residentBytes(child.pid ?? 0)));
  return Math.max(...sizes.map(({ all }) => all));
}

function rate(sent: number, begun: number): number {
  return sent / ((performance.now() - begun) / 1000);
}

function isWrong(outcome: Outcome): boolean {
  if (typeof outcome === 'string') return outcome === 'late' || outcome === 'refused';
  return outcome >= 500 && outcome !== 503;
}

/** What there is to ask, by the server's own description; and what is beside it. */
async function describedPaths(port: number): Promise<readonly DescribedPath[]> {
  const document = (await (await fetch(`http://127.0.0.1:${port}/openapi.json`)).json()) as {
    readonly paths: Record<string, Record<string, { readonly parameters?: DescribedPath['parameters'] }>>;
  };
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [] }]) => ({
      path,
      method: method.toUpperCase(),
      parameters,
    })),
  );
  const others = ['/', '/mcp', '/api/v1/commands', '/nothing', '/api/v1', '/api/v1/../who', '*'];
  return [
    ...described,
    ...others.map((path) => ({ path, method: POSTED.includes(path) ? 'POST' : 'GET', parameters: [] })),
  ];
}

function reportOf(
  { requests, outcomes, crashes, wrong, perSecond, peakRssBytes }: RequestsProof,
  seed: number,
): string {
  return [
    `${requests} requests (seed ${seed}), ${perSecond.toFixed(0)} a second, peak RSS ${Math.round(peakRssBytes / 1e6)} MB`,
    Object.entries(outcomes)
      .map(([outcome, count]) => `${outcome}: ${count}`)
      .join(', '),
    `${crashes} crashes, ${wrong} wrong (5xx that are not 503, no answer, forged identities without a 401, crashes)`,
  ].join('\n');
}
