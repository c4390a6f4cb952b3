// The peer that most people have: kube-state-metrics, scraped by Prometheus every 15 s and every 30 s, asked afterwards
// which pod had an address at the time of a packet. Both are the real programs. What Prometheus stored stays in the run
// folder, so that a kept run can be asked again.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../controlplane/free-port.ts';
import { httpRequest } from '../../controlplane/http-request.ts';
import { Part } from '../../controlplane/part.ts';
import { until } from '../../controlplane/until.ts';
import type { GivenAnswer } from './node-questions.ts';
import { ensurePeerPrograms, ensurePrometheus } from './peer-programs.ts';

export const SCRAPED_EVERY_S = [15, 30] as const;
export type ScrapedEvery = (typeof SCRAPED_EVERY_S)[number];

const HOST = '127.0.0.1';
const FOLDER = 'prometheus';

/** Scrapes while a run goes on. */
export class MetricsPeer implements AsyncDisposable {
  readonly #parts: readonly Part[];

  static async start(kubeconfig: string, runFolder: string): Promise<MetricsPeer> {
    const { stateMetrics, prometheus } = await ensurePeerPrograms();
    const directory = join(runFolder, FOLDER);
    await mkdir(directory, { recursive: true });
    const metrics = await stateMetricsPart(stateMetrics, kubeconfig, directory);
    const config = join(directory, 'prometheus.yml');
    await writeFile(config, scrapeConfig(metrics.port));
    const scraper = await prometheusPart(prometheus, directory, config);
    const peer = new MetricsPeer([metrics, scraper]);
    try {
      for (const part of peer.#parts) await part.start();
      // Before its first scrapes it knows nothing, and that would be no measurement.
      await until('Prometheus has scraped at both intervals', () => hasScraped(scraper.port), {
        withinMs: 90_000,
        everyMs: 500,
      });
    } catch (error) {
      await peer[Symbol.asyncDispose]();
      throw error;
    }
    return peer;
  }

  private constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const part of [...this.#parts].reverse()) await part.stop();
  }
}

/** What Prometheus stored in a run, for questions. */
export class ScrapedHistory implements AsyncDisposable {
  readonly #part: Part;

  /** Undefined for a run without this peer. */
  static async open(runFolder: string): Promise<ScrapedHistory | undefined> {
    const directory = join(runFolder, FOLDER);
    if (!existsSync(directory)) return undefined;
    const config = join(directory, 'no-scrapes.yml');
    await writeFile(config, '{}\n');
    const part = await prometheusPart(await ensurePrometheus(), directory, config);
    await part.start();
    return new ScrapedHistory(part);
  }

  private constructor(part: Part) {
    this.#part = part;
  }

  /** The query that people write, at the time of the packet. Several pods are several candidates. */
  async ask(ip: string, at: number, every: ScrapedEvery): Promise<GivenAnswer> {
    const query = `kube_pod_info{job="${jobOf(every)}",pod_ip="${ip}"}`;
    return namedIn(await queried(this.#part.port, { query, time: (at / 1000).toFixed(3) }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#part.stop();
  }
}

async function queried(port: number, question: Record<string, string>): Promise<QueryAnswer> {
  const answer = await fetch(`http://${HOST}:${port}/api/v1/query?${new URLSearchParams(question)}`);
  return (await answer.json()) as QueryAnswer;
}

async function hasScraped(port: number): Promise<boolean> {
  const { data } = await queried(port, { query: 'up == 1' });
  return data?.result.length === SCRAPED_EVERY_S.length;
}

export interface QueryAnswer {
  readonly status: string;
  readonly error?: string;
  readonly data?: { readonly result: readonly { readonly metric: Readonly<Record<string, string>> }[] };
}

export function namedIn({ status, error, data }: QueryAnswer): GivenAnswer {
  if (status !== 'success' || data === undefined) throw new Error(`Prometheus did not answer: ${error ?? status}`);
  const uids = [...new Set(data.result.flatMap(({ metric }) => metric['uid'] ?? []))];
  if (uids.length === 0) return { answer: 'free', uids };
  return { answer: uids.length === 1 ? 'held' : 'ambiguous', uids };
}

function jobOf(every: ScrapedEvery): string {
  return `every-${every}s`;
}

export function scrapeConfig(port: number): string {
  const jobs = SCRAPED_EVERY_S.map((every) => ({
    job_name: jobOf(every),
    scrape_interval: `${every}s`,
    scrape_timeout: '10s',
    static_configs: [{ targets: [`${HOST}:${port}`] }],
  }));
  // JSON is YAML.
  return `${JSON.stringify({ scrape_configs: jobs }, null, 2)}\n`;
}

async function stateMetricsPart(file: string, kubeconfig: string, directory: string): Promise<Part> {
  const [port, telemetry] = [await freePort(), await freePort()];
  const args = [
    `--kubeconfig=${kubeconfig}`,
    ...['--resources=pods', '--metric-allowlist=kube_pod_info'],
    ...[`--host=${HOST}`, `--port=${port}`, `--telemetry-host=${HOST}`, `--telemetry-port=${telemetry}`],
  ];
  const check = (): Promise<void> => mustServe(`http://${HOST}:${port}/livez`);
  const logFile = join(directory, 'kube-state-metrics.log');
  return new Part({ name: 'kube-state-metrics', file, args: () => args, directory, logFile, port, check });
}

async function prometheusPart(file: string, directory: string, config: string): Promise<Part> {
  const port = await freePort();
  const args = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(directory, 'data')}`,
    // A kept run is asked again whenever somebody wants to.
    '--storage.tsdb.retention.time=100y',
    `--web.listen-address=${HOST}:${port}`,
  ];
  const check = (): Promise<void> => mustServe(`http://${HOST}:${port}/-/ready`);
  const logFile = join(directory, 'prometheus.log');
  return new Part({ name: 'prometheus', file, args: () => args, directory, logFile, port, check });
}

async function mustServe(url: string): Promise<void> {
  const { status } = await httpRequest(url, { timeoutMs: 2_000 });
  if (status !== 200) throw new Error(`${url} answered ${status}`);
}
