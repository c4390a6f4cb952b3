// `podtrail store`: looking after the ledger itself: how it stands, whether it is whole, forgetting, copying.
import { type AnomalySummary, type Engine, HistoryError, type Migration, withSnapshot } from '@podtrail/history';
import { watchedFromTo } from '@podtrail/history/wire';
import type { Command } from 'commander';
import type { Cli, OpenLedger } from '../cli.ts';
import { CliError, UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { storeUrl } from '../options/store-url.ts';
import { showBytes } from '../output/bytes.ts';
import { counted } from '../output/counted.ts';
import { type Listing, printListing } from '../output/print.ts';
import { visible } from '../output/visible.ts';
import { showDuration } from '../times/duration.ts';
import { showTime, toUtcText } from '../times/show-time.ts';
import { anomalyJson, anomalySentence, recentAnomalies } from '../views/anomaly.ts';
import { storeRepairCommand } from './store-repair.ts';

type Verification = Awaited<ReturnType<Engine['verify']>>;
type ClusterStatus = Awaited<ReturnType<Engine['status']>>['clusters'][number];

interface RetainOptions extends SharedOptions {
  readonly before: string;
  readonly force?: boolean;
}

interface MigrateOptions extends SharedOptions {
  readonly dryRun?: boolean;
}

export function storeCommand(cli: Cli): Command {
  const store = cli.command('store', 'Look after the ledger: status, verify, retain, repair, backup, migrate.', []);
  store.addCommand(
    cli
      .command('status', 'What is in the store, and until when it was watched.', [
        'store',
        'timezone',
        'output',
        'headers',
      ])
      .action(cli.does((options: SharedOptions) => status(cli, options))),
  );
  store.addCommand(
    cli
      .command('verify', 'Read everything and say what is not as it was written. Exit code 1 when something is not.', [
        ...(['store', 'output', 'headers'] as const),
      ])
      .action(cli.does((options: SharedOptions) => verify(cli, options))),
  );
  store.addCommand(
    cli
      .command('retain', 'Forget what ended before a time; answers about it become "unknown".', [
        'store',
        'cluster',
        'timezone',
      ])
      .requiredOption('--before <time>', 'records that ended before this time go; 720h is thirty days ago')
      .option('--force', 'also when nobody has been watching for so long that the clock of this machine may be wrong')
      .addHelpText(
        'after',
        '\nA running recorder keeps other writers out, and forgets by itself when it was started with --retention.',
      )
      .action(cli.does((options: RetainOptions) => retain(cli, options))),
  );
  store.addCommand(storeRepairCommand(cli));
  store.addCommand(
    cli
      .command('backup', 'Copy the whole store as of one instant; a recorder may go on meanwhile.', ['store'])
      .argument('<file>', 'where the copy goes; nothing is overwritten')
      .action(cli.does((file: string, options: SharedOptions) => backup(cli, file, options))),
  );
  store.addCommand(
    cli
      .command('migrate', 'Bring a store of an older podtrail to the format of this one.', ['store', 'output'])
      .option('--dry-run', 'only say what would be done')
      .addHelpText(
        'after',
        `
There is no way back: an older podtrail refuses a store that was migrated. podtrail store backup makes a copy first,
with the podtrail that wrote the store. A recorder that starts migrates too; only sealed files then stay as they are,
which every later podtrail reads, until this command writes them again.`,
      )
      .action(cli.does((options: MigrateOptions) => migrate(cli, options))),
  );
  return store;
}

async function status(cli: Cli, options: SharedOptions): Promise<ExitCode> {
  const print = cli.print(options);
  return await cli.withStore(options, async (engine, url) => {
    const { version, bytes, clusters } = await engine.status();
    const watched = new Map<string, number | undefined>();
    const anomalies = new Map<string, readonly AnomalySummary[]>();
    for (const { id } of clusters) {
      watched.set(id, watchedFromTo(await withSnapshot(engine, id, (snapshot) => snapshot.coverage())).last);
      anomalies.set(id, await recentAnomalies(engine, id, cli.now));
    }
    const odd = (cluster: ClusterStatus) => anomalies.get(cluster.id) ?? [];
    const oddCount = (cluster: ClusterStatus) => String(odd(cluster).reduce((sum, { count }) => sum + count, 0));
    const until = (cluster: ClusterStatus) => watched.get(cluster.id);
    const json = (cluster: ClusterStatus) => {
      const { checkpoint, ...rest } = cluster;
      const last = until(cluster);
      return {
        ...rest,
        watchedUntil: last === undefined ? null : toUtcText(last),
        anomalies: odd(cluster).map(anomalyJson),
        checkpoint: checkpoint === undefined ? null : { ...checkpoint, at: toUtcText(checkpoint.at) },
      };
    };
    const listing: Listing<ClusterStatus> = {
      rows: clusters,
      document: { store: url, version, bytes, clusters: clusters.map(json) },
      sentence: `${url}: format ${version}, ${showBytes(bytes)}, ${counted(clusters.length, 'cluster')}.`,
      columns: [
        { header: 'CLUSTER', cell: (c) => c.name },
        { header: 'ID', cell: (c) => c.id },
        { header: 'TENURES', cell: (c) => String(c.tenures) },
        { header: 'PLACEMENTS', cell: (c) => String(c.placements) },
        { header: 'CHANGES', cell: (c) => String(c.changes) },
        { header: 'LIVE', cell: (c) => String(c.live) },
        { header: 'ANOMALIES', cell: oddCount },
        { header: 'WATCHED UNTIL', cell: (c) => showLast(until(c), cli, print.zone) },
        {
          header: 'CHECKPOINT',
          wide: true,
          cell: (c) => (c.checkpoint === undefined ? '' : `${c.checkpoint.epoch}/${c.checkpoint.resourceVersion}`),
        },
      ],
      csv: [
        { name: 'cluster', value: (c) => c.name },
        { name: 'id', value: (c) => c.id },
        { name: 'tenures', value: (c) => String(c.tenures) },
        { name: 'placements', value: (c) => String(c.placements) },
        { name: 'changes', value: (c) => String(c.changes) },
        { name: 'live', value: (c) => String(c.live) },
        { name: 'watched_until', value: (c) => json(c).watchedUntil ?? '' },
        { name: 'anomalies', value: oddCount },
      ],
      json,
      name: (c) => `cluster/${c.name}`,
    };
    await printListing(listing, print);
    for (const cluster of clusters) {
      for (const one of odd(cluster)) await cli.note(`${cluster.name}: ${one.what}: ${visible(anomalySentence(one))}`);
    }
    return clusters.length === 0 ? EXIT.none : EXIT.answered;
  });
}

/** Where not even the beginning can be read, there is nothing that could be listed. */
function beyondListing(error: unknown): unknown {
  if (!(error instanceof HistoryError) || error.code !== 'damaged') return error;
  return new CliError(error.code, error.message, {
    hint: 'restore the store from a copy that podtrail store backup made; nothing of this one can be listed.',
    cause: error,
    exitCode: EXIT.unknown,
  });
}

async function verify(cli: Cli, options: SharedOptions): Promise<ExitCode> {
  const print = cli.print(options);
  const look = async (engine: Engine, url: string): Promise<ExitCode> => {
    const { records, damages, unlisted } = await engine.verify();
    const listing: Listing<Verification['damages'][number]> = {
      rows: damages,
      document: { store: url, records, damages, unlisted },
      sentence:
        damages.length === 0
          ? `${url}: ${counted(records, 'record')} read, all as they were written.`
          : `${url}: ${counted(records, 'record is', 'records are')} as they were written, ${counted(damages.length, 'place is', 'places are')} damaged. Answers that would need them are unknown.`,
      columns: [
        { header: 'WHERE', cell: (d) => d.where },
        { header: 'WHAT', cell: (d) => d.what },
      ],
      csv: [
        { name: 'where', value: (d) => d.where },
        { name: 'what', value: (d) => d.what },
      ],
      json: (damage) => damage,
      name: (d) => `damage/${d.where}`,
    };
    await printListing(listing, print);
    for (const file of unlisted) {
      await cli.note(`${file} lies beside the store, which does not list it: nothing is answered from it`);
    }
    return damages.length === 0 ? EXIT.answered : EXIT.error;
  };
  return await cli.withStore(options, look).catch((error: unknown) => {
    throw beyondListing(error);
  });
}

async function retain(cli: Cli, options: RetainOptions): Promise<ExitCode> {
  const before = await cli.time('--before', options.before, options);
  if (before > cli.now)
    throw new UsageError(
      '--before lies in the future',
      'name a time that is over: 720h forgets what ended thirty days ago.',
    );
  const forget = async ({ engine, cluster }: OpenLedger): Promise<ExitCode> => {
    const last =
      watchedFromTo(await withSnapshot(engine, cluster.id, (snapshot) => snapshot.coverage())).last ?? cli.now;
    const restsOnClock = !NAMED_TIME.test(options.before);
    if (restsOnClock && options.force !== true && cli.now - last > PLAUSIBLE_MS) throw implausible(cli.now, last);
    const removed = await engine.prune(cluster.id, before);
    await cli.note(
      `${cluster.name}: forgot ${counted(removed, 'record')} that ended before ${showTime(before, cli.zone(options))}`,
    );
    return EXIT.answered;
  };
  return await cli.withLedger(options, forget, 'write').catch((error: unknown) => {
    throw besideRecorder(error);
  });
}

/** A clock that is ahead makes everything look old: whoever has not recorded for this long says that it is right. */
const PLAUSIBLE_MS = 7 * 86_400_000;
/** A date, or seconds or milliseconds since 1970: not counted from now. */
const NAMED_TIME = /^(\d{4}-|\d{9,}$)/;

function implausible(now: number, last: number): CliError {
  const text = `it is ${toUtcText(now)} by the clock of this machine, and the store was last watched ${showDuration(now - last)} ago`;
  return new CliError('clock-implausible', `${text}: perhaps the clock is wrong, and nothing was forgotten`, {
    hint: 'if the clock is right, say so with --force; or name --before as a date, which needs no clock.',
  });
}

/** Only one process writes to a store; the recorder that does can forget by itself. */
function besideRecorder(error: unknown): unknown {
  if (!(error instanceof HistoryError) || error.code !== 'store-in-use') return error;
  return new CliError(error.code, error.message, {
    hint: 'a recorder forgets by itself with `podtrail record --retention 30d`; or stop it for the moment that this takes.',
    cause: error,
  });
}

async function backup(cli: Cli, file: string, options: SharedOptions): Promise<ExitCode> {
  return await cli.withStore(options, async (engine, url) => {
    await engine.backup(file);
    await cli.note(`${url} was copied to ${file}`);
    return EXIT.answered;
  });
}

async function migrate(cli: Cli, options: MigrateOptions): Promise<ExitCode> {
  const print = cli.print(options);
  const url = storeUrl(options.store, cli.commandEnv);
  // Also for what is to be done: a store that is not there is not made by migrating it.
  const plan = await cli.commandEnv.planMigration(url);
  const isPlan = options.dryRun === true;
  const done = isPlan ? plan : await cli.withStore(options, (engine) => engine.migrate(), 'write');
  const rows = [
    ...done.steps.map((what, i) => ({ version: done.from + i + 1, what })),
    ...(done.files === 0 ? [] : [{ version: done.to, what: filesText(done.files) }]),
  ];
  const listing: Listing<(typeof rows)[number]> = {
    rows,
    document: { store: url, dryRun: isPlan, ...done },
    sentence: migrationSentence(url, done, isPlan),
    columns: [
      { header: 'VERSION', cell: ({ version }) => String(version) },
      { header: 'WHAT', cell: ({ what }) => what },
    ],
    csv: [
      { name: 'version', value: ({ version }) => String(version) },
      { name: 'what', value: ({ what }) => what },
    ],
    json: (row) => row,
    name: ({ version }) => `version/${version}`,
  };
  await printListing(listing, print);
  return EXIT.answered;
}

function migrationSentence(url: string, { from, to, steps, files }: Migration, isPlan: boolean): string {
  if (steps.length === 0 && files === 0) return `${url}: is of format ${to} already, nothing to do.`;
  return isPlan ? `${url}: would go from format ${from} to ${to}.` : `${url}: went from format ${from} to ${to}.`;
}

function filesText(files: number): string {
  return counted(files, 'sealed file is rewritten', 'sealed files are rewritten');
}

function showLast(last: number | undefined, cli: Cli, zone: ReturnType<Cli['zone']>): string {
  return last === undefined
    ? ''
    : `${showTime(Math.floor(last / 1000) * 1000, zone)} (${showDuration(cli.now - last)} ago)`;
}
