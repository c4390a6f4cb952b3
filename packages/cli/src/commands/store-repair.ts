// `podtrail store repair`: brings a ledger back whose recorder had a wrong clock, so that nothing of it lies in the
// future. Says what it would do, and does it with --yes. No record is removed.
import { type ClockDiagnosis, diagnoseClock, type EpochMillis, repairClock, withSnapshot } from '@podtrail/history';
import type { Command } from 'commander';
import type { Cli, OpenLedger } from '../cli.ts';
import { CliError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { type Listing, printListing } from '../output/print.ts';
import { showTime, toUtcText } from '../times/show-time.ts';

interface RepairOptions extends SharedOptions {
  readonly now?: string;
  readonly since?: string;
  readonly yes?: boolean;
}

export function storeRepairCommand(cli: Cli): Command {
  return cli
    .command('repair', 'Correct times that a recorder with a wrong clock wrote. Not for damaged files: see verify.', [
      ...(['store', 'cluster', 'timezone', 'output', 'headers'] as const),
    ])
    .option('--yes', 'do it; without it nothing is changed')
    .option('--since <time>', 'since when the clock was wrong; else since the last observation that shows it right')
    .option('--now <time>', 'the time that it is, where the clock of this machine is wrong, too')
    .addHelpText(
      'after',
      `
This is about clocks only. Damaged files are found by podtrail store verify, and come back from a copy that podtrail
store backup made. Says what it would do; --yes does it.

A recorder whose clock was ahead may have claimed to watch until a time that has not come: answers of that time are
wrong, and the next recorder waits for it. This withdraws every such claim, and lets no record lie in the future: what
was observed by the wrong clock began or ended at some time between --since and now. Nothing is removed; from --since on
answers are "ambiguous" or "unknown" (gap), and the next recorder goes on from now. podtrail store backup makes a copy
first. Stop the recorder: only one process writes to a store. A recorder repairs by itself when the API server and the
clock of its machine agree.

Examples:
  podtrail store repair
  podtrail store repair --yes
  podtrail store repair --since 2026-11-15T10:05:00Z --yes`,
    )
    .action(cli.does((options: RepairOptions) => run(cli, options)));
}

async function run(cli: Cli, options: RepairOptions): Promise<ExitCode> {
  const now = options.now === undefined ? cli.now : await cli.time('--now', options.now, options);
  const since = options.since === undefined ? undefined : await cli.time('--since', options.since, options);
  const isPlan = options.yes !== true;
  const repair = async (ledger: OpenLedger) => await repairLedger(cli, options, ledger, { now, since, isPlan });
  return await cli.withLedger(options, repair, isPlan ? 'read' : 'write');
}

interface RepairRequest {
  readonly now: EpochMillis;
  readonly since: EpochMillis | undefined;
  readonly isPlan: boolean;
}

async function repairLedger(
  cli: Cli,
  options: RepairOptions,
  { engine, cluster }: OpenLedger,
  { now, since, isPlan }: RepairRequest,
): Promise<ExitCode> {
  const print = cli.print(options);
  const [first] = await withSnapshot(engine, cluster.id, (snapshot) => snapshot.coverage());
  if (first !== undefined && now < first.from) {
    throw new CliError(
      'clock-behind',
      `it is ${showTime(now, print.zone)} by this clock, which is before the first record`,
      {
        hint: 'set the clock of this machine, or say what time it is with --now.',
      },
    );
  }
  const diagnosis = await diagnoseClock(engine, { cluster: cluster.id, now, since });
  const rows = Object.entries(diagnosis?.records ?? {}).filter(([, count]) => count > 0);
  if (!isPlan && diagnosis !== undefined) await repairClock(engine, await engine.takeOver(cluster), diagnosis);
  const listing: Listing<(typeof rows)[number]> = {
    rows,
    document: { cluster: cluster.name, dryRun: isPlan, ...diagnosisJson(diagnosis) },
    sentence: sentenceOf(cluster.name, diagnosis, isPlan, (time) => showTime(time, print.zone)),
    columns: [
      { header: 'RECORDS', cell: ([kind]) => kind },
      { header: 'CORRECTED', cell: ([, count]) => String(count) },
    ],
    csv: [
      { name: 'records', value: ([kind]) => kind },
      { name: 'corrected', value: ([, count]) => String(count) },
    ],
    json: ([records, corrected]) => ({ records, corrected }),
    name: ([kind]) => `records/${kind}`,
  };
  await printListing(listing, print);
  if (isPlan && diagnosis !== undefined) await cli.note('nothing was changed: --yes does it');
  return EXIT.answered;
}

function diagnosisJson(diagnosis: ClockDiagnosis | undefined) {
  if (diagnosis === undefined) return { wrong: false };
  const { since, at, latest, records } = diagnosis;
  return { wrong: true, since: toUtcText(since), now: toUtcText(at), latest: toUtcText(latest), records };
}

function sentenceOf(
  cluster: string,
  diagnosis: ClockDiagnosis | undefined,
  isPlan: boolean,
  show: (time: number) => string,
): string {
  if (diagnosis === undefined) return `${cluster}: nothing lies in the future, nothing to do.`;
  const { since, at, latest } = diagnosis;
  const done = isPlan ? 'would be taken back' : 'was taken back';
  return `${cluster}: the ledger reaches to ${show(latest)}, and it is ${show(at)}. What it claims from ${show(since)} on ${done}.`;
}
