// Whether a recorder also keeps what causes are found from, and for how long: flags of whoever records.
import type { Command } from 'commander';
import { ageMs } from '../times/age.ts';

export interface CausesOptions {
  readonly causes: boolean;
  readonly evidenceRetention?: number;
}

export const DEFAULT_EVIDENCE_RETENTION_MS = 14 * 86_400_000;

export function withCauses(command: Command): Command {
  return command
    .option('--no-causes', 'do not record why pods move: no Events, owners of pods and namespaces are read')
    .option(
      '--evidence-retention <duration>',
      'forget lives, departures and evidence of causes that are older, e.g. 30d or 720h; default: 14d',
      ageMs('--evidence-retention'),
    );
}

export const CAUSES_HELP = `
To say why a pod moved it also reads Events, the metadata of ReplicaSets, Deployments, StatefulSets, DaemonSets, Jobs
and CronJobs, and namespaces. This is best effort: where a right is missing or there are too many Events, the log says
so once, causes of that time are "Unknown", and who held an address is answered as ever.`;

/** For a recorder. */
export function causesOf({ causes, evidenceRetention }: CausesOptions) {
  return { causes, evidenceRetentionMs: evidenceRetention ?? DEFAULT_EVIDENCE_RETENTION_MS };
}
