// The audit webhook as a task of the operator: certificates, server, queue and follower together. Rejects only if it cannot
// begin, so that an operator that was asked for it does not run without it unnoticed.
import type { Cluster, Engine, ReportedEvidence } from '@podtrail/history';
import { type Clock, sleep } from '@podtrail/machinery';
import type { Registry } from 'prom-client';
import { type AuditCertificateFiles, type AuditCertificates, readAuditCertificates } from './audit-certificates.ts';
import { AuditFollower } from './audit-follower.ts';
import { watchAudit } from './audit-metrics.ts';
import { AuditQueue } from './audit-queue.ts';
import { AUDIT_PATH, AuditServer } from './audit-server.ts';

export interface AuditWebhookOptions {
  readonly host: string;
  readonly port: number;
  readonly files: AuditCertificateFiles;
  readonly clientName?: string | undefined;
  readonly engine: Pick<Engine, 'snapshot'>;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly registry: Registry;
  readonly record: (evidence: readonly ReportedEvidence[]) => Promise<boolean>;
  readonly log: AuditLog;
}

export interface AuditLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

const LOOK_AT_FILES_MS = 10_000;
const DAY_MS = 86_400_000;
/** From here on a certificate should have been renewed. */
const SOON_MS = 3 * DAY_MS;

export class AuditWebhook {
  readonly #options: AuditWebhookOptions;
  readonly #server: AuditServer;
  readonly #follower: AuditFollower;
  readonly #answers = new Map<number, number>();
  #certificates: AuditCertificates;
  #damagedBodies = 0;
  #fileProblem = '';
  #warnedOf = 0;

  /** Listens. */
  static async open(options: AuditWebhookOptions): Promise<AuditWebhook> {
    const webhook = new AuditWebhook(options, await readAuditCertificates(options.files));
    const port = await webhook.#server.listen();
    options.log.info('audit events are taken', { port, path: AUDIT_PATH });
    webhook.#lookAtExpiry();
    return webhook;
  }

  private constructor(options: AuditWebhookOptions, certificates: AuditCertificates) {
    const { host, port, clientName, engine, cluster, clock, record, log, registry } = options;
    this.#options = options;
    this.#certificates = certificates;
    const queue = new AuditQueue();
    this.#follower = new AuditFollower({
      ...{ queue, engine, cluster, clock, record },
      onProblem: (problem) => {
        if (problem === undefined) log.info('audit events are complete again');
        else log.warn('causes may lack who did it', { problem });
      },
    });
    this.#server = new AuditServer({
      ...{ host, port, certificates, clientName, queue },
      listener: {
        answered: (status) => this.#answers.set(status, (this.#answers.get(status) ?? 0) + 1),
        refused: () => this.#follower.lose(),
        damaged: () => {
          this.#damagedBodies++;
          this.#follower.lose();
        },
      },
    });
    watchAudit(registry, queue, () => ({
      followed: this.#follower.status,
      counts: { answers: this.#answers, damagedBodies: this.#damagedBodies },
    }));
  }

  /** Until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await Promise.all([this.#follower.run(signal), this.#keepCertificates(signal)]);
    } finally {
      await this.#server.close();
    }
  }

  async #keepCertificates(signal: AbortSignal): Promise<void> {
    const { clock, files, log } = this.#options;
    while (!signal.aborted) {
      await sleep(clock, LOOK_AT_FILES_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        const read = await readAuditCertificates(files);
        this.#fileProblem = '';
        const { certificate, key, clientCa } = this.#certificates;
        if (read.certificate !== certificate || read.key !== key || read.clientCa !== clientCa) {
          this.#server.use(read);
          this.#certificates = read;
          log.info('the audit webhook has new certificates', { until: new Date(read.notAfter).toISOString() });
        }
      } catch (error) {
        // They are perhaps being written: those of before are served.
        const problem = error instanceof Error ? error.message : String(error);
        if (problem !== this.#fileProblem)
          log.warn('new certificates of the audit webhook cannot be read', { problem });
        this.#fileProblem = problem;
      }
      this.#lookAtExpiry();
    }
  }

  #lookAtExpiry(): void {
    const { clock, log, files } = this.#options;
    const { notAfter } = this.#certificates;
    if (notAfter - clock.now() > SOON_MS || clock.now() - this.#warnedOf < DAY_MS) return;
    this.#warnedOf = clock.now();
    const hint = `renew ${files.certificate}: after that API servers do not send audit events any more`;
    log.warn('the certificate of the audit webhook ends soon', { until: new Date(notAfter).toISOString(), hint });
  }
}
