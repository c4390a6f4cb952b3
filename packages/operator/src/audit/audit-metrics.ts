// What the audit webhook has done, for Prometheus.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { FollowedAudit } from './audit-follower.ts';
import type { AuditQueue } from './audit-queue.ts';

export interface AuditCounts {
  /** Requests that were answered, by status. */
  readonly answers: ReadonlyMap<number, number>;
  readonly damagedBodies: number;
}

export function watchAudit(
  registry: Registry,
  queue: Pick<AuditQueue, 'bytes'>,
  read: () => { readonly followed: FollowedAudit; readonly counts: AuditCounts },
): void {
  new Counter({
    ...{ name: 'podtrail_audit_events_total', help: 'Audit events that API servers sent, by what became of them.' },
    ...{ labelNames: ['result'], registers: [registry] },
    collect() {
      this.reset();
      const { followed, counts } = read();
      const { taken, unknown, expired, ahead, over, damaged, dropped } = followed;
      const results = {
        ...{ read: followed.read, stored: taken, over, dropped },
        unknown: unknown + expired + ahead,
        damaged: damaged + counts.damagedBodies,
      };
      for (const [result, count] of Object.entries(results)) this.inc({ result }, count);
    },
  });
  new Counter({
    ...{ name: 'podtrail_audit_requests_total', help: 'Requests of API servers with audit events; 429: no room.' },
    ...{ labelNames: ['code'], registers: [registry] },
    collect() {
      this.reset();
      for (const [code, count] of read().counts.answers) this.inc({ code: String(code) }, count);
    },
  });
  new Gauge({
    ...{ name: 'podtrail_audit_queue_bytes', help: 'Audit events that wait to be read.', registers: [registry] },
    collect() {
      this.set(queue.bytes);
    },
  });
}
