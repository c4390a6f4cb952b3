// `npm run proof -- requests`: a server that is sent what nobody should send it, from a seed. It must neither end nor say
// that it failed: 4xx is an answer, 503 is one, any other 5xx is a bug. No cluster is needed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore } from '@podtrail/history';
import { ledgerFacts, SeededNumbers } from '@podtrail/history/testing';
import { Chance } from './random.ts';
import { type DescribedPath, fuzzedRequest } from './requests/fuzzed-request.ts';
import { type Outcome, RequestLane } from './requests/request-lane.ts';
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
  const { seed, requests, out, log } = options;
  const store = `sqlite:${join(out, 'requests.db')}`;
  const engine = await openStore(store, { access: 'write' });
  await (await engine.takeOver({ id: 'c', name: 'c' })).append({
    facts: ledgerFacts(new SeededNumbers(seed), ['shop', 'vault']),
  });
  await engine.close();
  const tokenFile = join(out, 'token');
  await writeFile(tokenFile, TOKEN, { mode: 0o600 });
  const server = spawn(
    process.execPath,
    [
      PODTRAIL,
      'serve',
      '--store',
      store,
      '--port',
      '0',
      '--rate-limit',
      '0',
      '--token-file',
      tokenFile,
      '--access-log',
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  try {
    const result = await fuzz(server, options);
    write(`${reportOf(result, seed)}\n`);
    return result;
  } finally {
    if (server.exitCode === null && server.signalCode === null) {
      server.kill('SIGTERM');
      await once(server, 'exit');
    }
    log(`the server has ended`);
  }

  async function fuzz(child: ChildProcess, { log: say }: RequestsOptions): Promise<RequestsProof> {
    let crashes = 0;
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-10_000)));
    child.once('exit', (code, signal) => {
      crashes++;
      say(`the server ended by itself (${code ?? signal}): ${said}`);
    });
    const port = await portOf(child);
    const paths = await describedPaths(port);
    const chance = new Chance(seed);
    const outcomes = new Map<string, number>();
    const kept: string[] = [];
    let sent = 0;
    let wrong = 0;
    let peakRssBytes = 0;
    const begun = performance.now();
    const lane = async () => {
      const connection = new RequestLane(port);
      while (sent < requests && crashes === 0) {
        if (++sent % REPORT_EVERY === 0) say(`${sent} requests, ${rate(sent, begun).toFixed(0)} a second`);
        if (sent % 1_000 === 0) peakRssBytes = Math.max(peakRssBytes, (await residentBytes(child.pid ?? 0)).all);
        const request = fuzzedRequest(chance, paths, TOKEN, `127.0.0.1:${port}`);
        const outcome = await connection.send(request);
        outcomes.set(String(outcome), (outcomes.get(String(outcome)) ?? 0) + 1);
        if (!isWrong(outcome) && (!request.isForged || outcome === 401)) continue;
        wrong++;
        if (kept.length < MOST_KEPT) kept.push(`${outcome}: ${JSON.stringify(request.bytes.toString('latin1'))}`);
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    child.removeAllListeners('exit');
    const perSecond = rate(sent, begun);
    if (kept.length > 0) await writeFile(join(out, 'wrong-requests.txt'), `${kept.join('\n')}\n`);
    const counts = Object.fromEntries([...outcomes].sort(([a], [b]) => (a < b ? -1 : 1)));
    return { requests: sent, outcomes: counts, crashes, wrong: wrong + crashes, perSecond, peakRssBytes };
  }
}

function rate(sent: number, begun: number): number {
  return sent / ((performance.now() - begun) / 1000);
}

function isWrong(outcome: Outcome): boolean {
  if (typeof outcome === 'string') return outcome === 'late' || outcome === 'refused';
  return outcome >= 500 && outcome !== 503;
}

async function portOf({ stdout }: ChildProcess): Promise<number> {
  let text = '';
  for await (const chunk of stdout ?? []) {
    text += String(chunk);
    const port = /^http:\/\/127\.0\.0\.1:(\d+)\//.exec(text)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error('podtrail serve ended before it said where it listens');
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
