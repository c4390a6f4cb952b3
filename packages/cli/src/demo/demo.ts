// One run of the demo, from an empty temporary directory to its removal: cluster, past, recorder, view.
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { type Engine, epochMillis, gaps, withSnapshot } from '@podtrail/history';
import type { SandboxServer } from '@podtrail/sandbox';
import type { CommandEnv } from '../command-env.ts';
import { describeError } from '../errors.ts';
import { DEFAULT_RATE } from '../options/serve-defaults.ts';
import type { LoopbackServer } from '../remote/loopback-server.ts';
import { ADMIN, LivingCluster } from '../sandbox/living-cluster.ts';
import { DemoDirectory, removeLeftovers } from './demo-directory.ts';
import { flowLog } from './flow-log.ts';
import { onKeys } from './keys.ts';
import { LedgerMoves } from './ledger-moves.ts';
import { News } from './news.ts';
import { openBrowser } from './open-browser.ts';
import { RecordedPast } from './recorded-past.ts';
import { RecorderChild } from './recorder-child.ts';
import { Stage } from './stage.ts';
import { calledAs, suggestions } from './suggestions.ts';

export interface DemoOptions {
  readonly nodes: number;
  readonly pods: number;
  readonly speed: number;
  readonly seed: number;
  /** Where it serves the page, on this machine only; 0: where there is room; undefined: nowhere. */
  readonly port: number | undefined;
  /** A key asked for the end, or nobody is there any more to see it. */
  readonly quit: () => void;
}

const DAY_MS = 24 * 3_600_000;
const FLOW_ROWS = 2000;
const LOOK_MS = 1000;
const DOWN_MS = 20_000;
/** A recorder that watches says so twice a second. */
const WATCHING_MS = 3_000;
const CLUSTER_NAME = 'demo';

export class Demo implements AsyncDisposable {
  readonly #options: DemoOptions;
  readonly #commandEnv: CommandEnv;
  readonly #stage: Stage;
  readonly #directory: DemoDirectory;
  readonly #living: LivingCluster;
  readonly #ends: (() => unknown)[] = [];
  #recorder: RecorderChild | undefined;
  #news: News | undefined;
  #moves: LedgerMoves | undefined;
  #down: NodeJS.Timeout | undefined;

  static async begin(commandEnv: CommandEnv, options: DemoOptions): Promise<Demo> {
    await removeLeftovers(tmpdir());
    return new Demo(commandEnv, options, await DemoDirectory.make(tmpdir()));
  }

  private constructor(commandEnv: CommandEnv, options: DemoOptions, directory: DemoDirectory) {
    this.#commandEnv = commandEnv;
    this.#options = options;
    this.#directory = directory;
    const now = () => commandEnv.clock.now();
    this.#stage = new Stage(commandEnv.stdout, now, () => process.stdout.columns || 120, options.quit);
    const { nodes, pods, seed } = options;
    this.#living = new LivingCluster({ nodes, pods, seed, begins: now() - DAY_MS });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { nodes, pods, seed } = this.#options;
    const engine = await this.#commandEnv.openStore(`sqlite:${this.#store}`, 'write');
    let page: LoopbackServer | undefined;
    try {
      // First of all: whoever opens it sees the day fill up.
      page = await this.#serve();
      this.#ends.push(onKeys(process.stdin, (key) => this.#pressed(key, page, signal), this.#options.quit));
      this.#stage.say(`podtrail demo: a simulated cluster of ${nodes} nodes and about ${pods} pods (--seed ${seed})`);
      await this.#recordPast(engine, signal);
    } finally {
      await engine.close();
    }
    if (signal.aborted) return;
    const server = await this.#living.serve(0);
    this.#ends.push(() => server.close());
    await this.#writeFiles(server);
    if (signal.aborted) return;
    this.#startRecorder(signal);
    this.#news = new News(this.#living.cluster, (line) => this.#stage.happened(line));
    this.#moves = new LedgerMoves(this.#commandEnv.clock.now());
    this.#living.live({
      speed: this.#options.speed,
      onChurn: (kind, about) => this.#news?.churned(kind, about),
      onError: (error) => this.#stage.happened(describeError(error, false)),
    });
    this.#suggest(page);
    await this.#watch(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#down);
    this.#living.close();
    try {
      await this.#recorder?.stop();
      for (const end of this.#ends.reverse()) await end();
      await this.#stage.end().catch(() => undefined);
    } finally {
      await this.#directory.remove();
    }
  }

  get #store(): string {
    return this.#directory.file('ledger.db');
  }

  /** Populated, then a day as fast as it goes, stored as it happens. */
  async #recordPast(engine: Engine, signal: AbortSignal): Promise<void> {
    const { api, clock } = this.#living;
    const begun = this.#commandEnv.clock.monotonic();
    const id = api.get('namespaces', undefined, 'kube-system')?.metadata.uid ?? 'demo';
    const options = { api, version: () => api.resourceVersion, now: () => clock.now(), collector: 'demo' };
    const past = await RecordedPast.begin(engine, { id, name: CLUSTER_NAME }, options);
    const from = clock.now();
    const keepUp = async () => {
      const hours = Math.floor((clock.now() - from) / 3_600_000);
      if (this.#commandEnv.stdout.isTTY) this.#stage.status(`recording a day of history: ${hours} of 24 hours`);
      await past.flush();
    };
    await this.#living.populate(this.#options.pods, { onSlice: keepUp, signal });
    await this.#living.catchUp(keepUp, signal);
    await past.end();
    if (signal.aborted) return;
    const seconds = ((this.#commandEnv.clock.monotonic() - begun) / 1000).toFixed(1);
    this.#stage.say(`a day of history (${past.events} changes) recorded in ${seconds} s`);
  }

  async #writeFiles(server: SandboxServer): Promise<void> {
    const now = this.#commandEnv.clock.now();
    await writeFile(this.#directory.file('kubeconfig'), server.kubeconfig(ADMIN), { mode: 0o600 });
    const span = { rows: FLOW_ROWS, from: now - DAY_MS, to: now, random: this.#commandEnv.random };
    await writeFile(this.#directory.file('flows.csv'), flowLog(this.#living.cluster.truth.tenures, span));
  }

  #startRecorder(signal: AbortSignal): void {
    this.#recorder ??= new RecorderChild({
      kubeconfig: this.#directory.file('kubeconfig'),
      store: `sqlite:${this.#store}`,
      clusterName: CLUSTER_NAME,
      log: this.#directory.file('recorder.log'),
      onEnded: (code) => {
        // A signal from the terminal reaches it too.
        if (signal.aborted) return;
        this.#stage.happened(`the recorder ended by itself (exit code ${code}); see recorder.log`);
      },
    });
    this.#recorder.start();
  }

  /** The page, as `podtrail serve` serves it; the store must be there. Only then is it loaded. */
  async #serve(): Promise<LoopbackServer | undefined> {
    const { port } = this.#options;
    if (port === undefined) return undefined;
    const { serveOnLoopback } = await import('../remote/loopback-server.ts');
    const engine = await this.#commandEnv.openStore(`sqlite:${this.#store}`, 'read');
    this.#ends.push(() => engine.close());
    const options = { port, bind: '127.0.0.1', rateLimit: DEFAULT_RATE, hasAccessLog: false };
    const server = await serveOnLoopback(engine, options, this.#commandEnv);
    this.#ends.push(() => server.close());
    const how = process.stdin.isTTY ? 'open in a browser (o does), works once' : 'open in a browser, works once';
    this.#stage.say(`${how}: ${server.url}`);
    return server;
  }

  #suggest(server: LoopbackServer | undefined): void {
    const flows = this.#directory.file('flows.csv');
    const { tenures } = this.#living.cluster.truth;
    const now = this.#commandEnv.clock.now();
    const program = calledAs(this.#commandEnv.env);
    const found = suggestions({ tenures, now, program, store: this.#store, flows });
    const lines = found.map(({ why, command }, n) => `  ${n + 1}. ${why}:\n     ${command}`);
    const keys = process.stdin.isTTY
      ? `${server === undefined ? '' : 'o opens the page, '}k kills the recorder for 20 s, q or Ctrl+C ends the demo`
      : 'Ctrl+C ends the demo';
    this.#stage.say(`\nTry in another terminal, in this directory:\n\n${lines.join('\n')}\n`);
    this.#stage.say(
      `kubectl works too: kubectl --kubeconfig ${this.#directory.file('kubeconfig')} get pods -A -o wide`,
    );
    this.#stage.say(
      server === undefined
        ? `the page, and answers for scripts: ${program} serve --store sqlite:${this.#store}`
        : `for scripts: Authorization: Bearer ${server.bearer}`,
    );
    this.#stage.say(`${keys}\n`);
  }

  #pressed(key: string, page: LoopbackServer | undefined, signal: AbortSignal): void {
    if (key === 'q' || key === '\u0003') this.#options.quit();
    else if (key === 'k') void this.#killRecorder(signal);
    else if (key === 'o' && page !== undefined) void this.#open(page);
  }

  /** Only when it is asked for. */
  async #open({ url }: LoopbackServer): Promise<void> {
    if (!(await openBrowser(url))) this.#stage.say(`no browser could be started here; open it yourself: ${url}`);
  }

  /** And the API server forgets what happened meanwhile, as it does after five minutes: else there would be no gap. */
  async #killRecorder(signal: AbortSignal): Promise<void> {
    if (this.#recorder?.runs !== true) return;
    await this.#recorder.kill();
    this.#stage.happened(
      'the recorder is killed for 20 s, and the API server will have forgotten what happens meanwhile',
    );
    this.#down = setTimeout(() => {
      this.#living.api.compact();
      this.#startRecorder(signal);
      this.#stage.happened('the recorder is back; now ask for the gaps');
    }, DOWN_MS);
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const engine = await this.#commandEnv.openStore(`sqlite:${this.#store}`, 'read');
    try {
      while (!signal.aborted) {
        this.#news?.look();
        this.#stage.status(await this.#standing(engine));
        await pause(LOOK_MS, signal);
      }
    } finally {
      await engine.close();
    }
  }

  async #standing(engine: Engine): Promise<string> {
    const [cluster] = (await engine.status()).clusters;
    const now = this.#commandEnv.clock.now();
    const span = { from: epochMillis(now - 2 * DAY_MS), to: epochMillis(now) };
    const watched =
      cluster === undefined
        ? undefined
        : await withSnapshot(engine, cluster.id, async (snapshot) => {
            const moved = await this.#moves?.look(snapshot, now);
            if (moved !== undefined) this.#stage.happened(moved);
            return await gaps(snapshot, { span });
          });
    const holes = watched?.gaps.length ?? 0;
    const { nodeNames } = this.#living.cluster;
    const up = nodeNames.filter((node) => this.#living.cluster.isNodeUp(node)).length;
    const pods = this.#living.api.list('pods').length;
    // A recorder that has just begun reads what it missed first: until then nobody watches.
    const isWatching = now - (watched?.last ?? 0) < WATCHING_MS;
    const recorder = this.#recorder?.runs !== true ? 'NOT RECORDING' : isWatching ? 'recording' : 'catching up';
    const [moves, reuses] = [this.#moves?.count ?? 0, this.#news?.reuses ?? 0];
    // What matters most first: a terminal of 80 columns has no room for the rest.
    return [
      recorder,
      `${up}/${nodeNames.length} nodes`,
      `${pods} pods`,
      `${moves} ${moves === 1 ? 'move' : 'moves'}`,
      `${reuses} ${reuses === 1 ? 'address' : 'addresses'} reused`,
      `${holes} ${holes === 1 ? 'gap' : 'gaps'}`,
      `ledger: ${cluster?.tenures ?? 0} tenures, ${cluster?.changes ?? 0} annotation changes`,
    ].join(' · ');
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
