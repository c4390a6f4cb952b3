// `podtrail attribute`: who held each address of a flow log at the time of its row, in bulk.

import { ALL_VISIBLE, type AskAttributions, askAttributions, epochMillis } from '@podtrail/history/wire';
import { type Command, Option } from 'commander';
import { attributeStream, withoutZone } from '../attribute/attribute-stream.ts';
import { FORMAT_NAMES, FORMATS, type WantedColumns } from '../attribute/choose-format.ts';
import { inputsOf } from '../attribute/input.ts';
import type { Shares, Tally } from '../attribute/tally.ts';
import type { Cli } from '../cli.ts';
import { CliError, InterruptedError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { counted } from '../output/counted.ts';
import { visible } from '../output/visible.ts';
import { placeOf } from '../remote/place.ts';

interface AttributeFlags extends SharedOptions {
  readonly ip: readonly string[];
  readonly time?: string;
  readonly end?: string;
  readonly prefix: readonly string[];
  readonly format?: string;
  readonly columns?: string;
  readonly traffic?: boolean;
  readonly output?: 'csv' | 'jsonl';
}

const PROGRESS_MS = 500;
const MOST_MALFORMED_LISTED = 10;
const MOST_PODS_LISTED = 5;

export function attributeCommand(cli: Cli): Command {
  return cli
    .command('attribute', 'Who held the addresses of each row of a flow log, at the time of the row?', [
      ...(['timezone', 'cluster', 'store', 'headers'] as const),
    ])
    .argument('<file...>', 'flow logs, or directories of them, plain, gzip or zstd; - reads standard input')
    .addOption(
      new Option('--format <name>', 'the format of the input; default: by its look').choices([...FORMAT_NAMES]),
    )
    .option(
      '--ip <column>',
      'a column with an address; in JSON a member, or a path as source.ip or ips[0]',
      collect,
      [],
    )
    .option('--time <column>', 'the column with the time; with --end, of the beginning')
    .option('--end <column>', 'the column with the time of the end: the row is a window, and not an instant')
    .option('--prefix <text>', 'before our columns, one for each --ip; src_ and dst_ by themselves', collect, [])
    .option('--columns <names>', 'names of the columns of an input without a header, with commas between them')
    .option('--traffic', 'every row shows that its addresses were in use, also where its format does not say so')
    .option('--no-traffic', 'no row shows that')
    .addOption(new Option('-o, --output <format>', 'default: the format of the input').choices(['csv', 'jsonl']))
    .addHelpText(
      'after',
      `
Formats that are recognised need no --ip, --time and --end:
${formatsHelp()}
Else CSV, or text with tabs, semicolons, bars or spaces, with a header or --columns, or JSON, needs --ip and --time.

Prints the same rows in the same order with these columns behind: answer, kind, namespace, pod, uid, node, workload,
from, to, candidates. "pod" is the name of the holder, whatever its kind. When the answer is ambiguous "pod" is empty
and "candidates" lists who it may have been. With several addresses each has its own columns (src_pod, dst_pod). A
column that the input has already keeps its name, and ours is called podtrail_NAME; columns of an earlier run are
replaced. A row about which nothing can be asked is kept, with the answer "malformed".

A row with a beginning and an end is a window: "held" only if one holder had the address throughout, "free" only if
nobody had it at any time, else the candidates, and in "overlap" the part of the window that may have been theirs.

A row of a flow log shows that its source was in use, and its destination where that answered: then one candidate is
the holder (reason, in JSON basis, "traffic"), and traffic of an address that certainly nobody had is "contradicted".
--traffic says so of all rows, --no-traffic of none.

Answers about the last seconds may still change; the closing line on standard error counts them as provisional.
A time without a zone (2026-11-15 10:05:00) is refused unless --timezone says which zone the log is in.
Exit code 0 when every row was processed, whatever the answers; 1 when not one row could be read.

Examples:
  podtrail attribute vpc-flow-logs/ > attributed.log
  podtrail attribute flows.csv --ip src_addr --time start > attributed.csv
  podtrail attribute flows.csv --ip src --ip dst --time start --end end -o jsonl
  podtrail attribute audit.log.gz --format k8s-audit -o csv`,
    )
    .action(cli.finishes((files: readonly string[], options: AttributeFlags) => run(cli, files, options)));
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function formatsHelp(): string {
  const formats = new Map(FORMATS.map(({ name, summary }) => [name, summary]));
  return [...formats].map(([name, summary]) => `  ${name.padEnd(11)} ${summary}\n`).join('');
}

async function run(cli: Cli, files: readonly string[], options: AttributeFlags) {
  const { stdout, stderr, clock, signal } = cli.commandEnv;
  // Not the machine's zone: where a log was written is not where it is read.
  const zone = options.timezone === undefined ? undefined : cli.zone(options);
  const started = clock.monotonic();
  let nextProgress = started + PROGRESS_MS;
  let listed = 0;
  const { tally, prefixes, skipped } = await withAttributions(cli, options, async (ledger) =>
    attributeStream({
      inputs: inputsOf(files, cli.commandEnv),
      out: stdout,
      columns: wantedColumns(options),
      format: options.output,
      headers: options.headers !== false,
      zone,
      ledger,
      signal,
      async onProgress({ rows }) {
        const now = clock.monotonic();
        // Rows on the same terminal say enough; so does a log file that nobody watches.
        if (!stderr.isTTY || stdout.isTTY || now < nextProgress) return;
        nextProgress = now + PROGRESS_MS;
        const perSecond = Math.round(rows / ((now - started) / 1000));
        await stderr.write(
          `\r\u001b[2K${rows.toLocaleString('en-US')} rows, ${perSecond.toLocaleString('en-US')} a second`,
        );
      },
      async onMalformed(row, problem) {
        if (++listed <= MOST_MALFORMED_LISTED) await cli.note(`row ${row}: ${shortened(visible(problem))}`);
        if (listed === MOST_MALFORMED_LISTED + 1)
          await cli.note('more rows are malformed; they are counted and not listed');
      },
      async onSkipped(name, why) {
        await cli.note(`${visible(name)} is left out: ${why}`);
      },
    }).catch((error) => {
      throw signal.aborted ? new InterruptedError() : error;
    }),
  );
  if (stderr.isTTY && !stdout.isTTY) await stderr.write('\r\u001b[2K');
  await cli.note(closingLine(tally, prefixes, skipped));
  const top = tally.top(MOST_PODS_LISTED);
  if (top.length > 0) await cli.note(`most rows: ${top.map(([name, rows]) => `${visible(name)} ${rows}`).join(', ')}`);
  if (tally.withoutZone !== undefined) throw withoutZone(tally.withoutZone);
  if (tally.rows > 0 && tally.unreadable === tally.rows) {
    throw new CliError('nothing-read', 'not one row could be read', {
      hint: 'compare --ip and --time with the columns of the input; the first rows above say what is wrong.',
    });
  }
  return EXIT.answered;
}

/** Of a store, or of whoever has one: rows are read and written here either way. */
async function withAttributions<T>(
  cli: Cli,
  options: AttributeFlags,
  use: (ledger: AskAttributions) => Promise<T>,
): Promise<T> {
  const place = await placeOf(options, cli.commandEnv);
  if (place.kind === 'store' || place.kind === 'nowhere') {
    return await cli.askLedger(options, ({ engine, cluster }) =>
      use(askAttributions(engine, ALL_VISIBLE, cluster.id, () => epochMillis(cli.commandEnv.clock.now()))),
    );
  }
  const [{ commandOf, openAsker }, { askLog, remoteAttributions }] = await Promise.all([
    import('../remote/ask-remote.ts'),
    import('../remote/remote-attributions.ts'),
  ]);
  const asker = await openAsker(place, options, cli.commandEnv);
  try {
    await cli.noteAsked(`asking ${asker.name}`, options);
    const ask = askLog(asker, await commandOf(['attribute'], options, cli.commandEnv), {
      cluster: options.cluster,
      onNote: (text) => cli.commandEnv.stderr.write(text),
    });
    // Whether it may be asked, and about which cluster, before a row is read.
    await ask([], false);
    return await use(remoteAttributions(ask));
  } finally {
    await asker.close();
  }
}

/** A field of megabytes is not for a terminal; the sentence behind it is. */
function shortened(problem: string): string {
  return problem.length <= 300 ? problem : `${problem.slice(0, 100)}…${problem.slice(-100)}`;
}

function wantedColumns({ format, ip, prefix, time, end, columns, traffic }: AttributeFlags): WantedColumns {
  return {
    format,
    ips: ip,
    prefixes: prefix.length === 0 ? undefined : prefix,
    time,
    end,
    columns: columns?.split(',').map((name) => name.trim()),
    traffic,
  };
}

function closingLine(tally: Tally, prefixes: readonly string[], skipped: number): string {
  if (tally.rows === 0) return 'the input has no rows: there is nothing to ask about';
  const ends = tally.ends.map((shares, i) => {
    const name = tally.ends.length === 1 ? '' : `${(prefixes[i] ?? '').replace(/_$/, '')} `;
    return `${name}${sharesText(shares, tally.rows)}`;
  });
  const cut =
    tally.cut === 0
      ? ''
      : `; ${counted(tally.cut, 'row')} had members that the first row lacks, and those were left out`;
  const provisional =
    tally.provisional === 0
      ? ''
      : `; ${tally.provisional} of them provisional: the watch has not confirmed those instants yet, ask again in a minute`;
  const traffic = tally.byTraffic === 0 ? '' : `; ${tally.byTraffic} held by the evidence of their traffic`;
  const contradicted =
    tally.contradicted === 0
      ? ''
      : `; ${tally.contradicted} contradicted: traffic of an address that certainly nobody had (a spoofed source, a wrong clock, or an error of podtrail)`;
  const left = skipped === 0 ? '' : `; ${counted(skipped, 'file was', 'files were')} left out`;
  return `${counted(tally.rows, 'row')}: ${ends.join('; ')}${cut}${traffic}${contradicted}${provisional}${left}`;
}

function sharesText(shares: Shares, rows: number): string {
  const percent = (n: number) => (rows === 0 ? '0' : ((n / rows) * 100).toFixed(1));
  const answers = (['held', 'free', 'ambiguous', 'unknown'] as const).map((a) => `${percent(shares[a])}% ${a}`);
  if (shares.malformed > 0) answers.push(`${percent(shares.malformed)}% malformed (${shares.malformed})`);
  if (shares.without > 0) answers.push(`${percent(shares.without)}% without an address (${shares.without})`);
  return answers.join(', ');
}
