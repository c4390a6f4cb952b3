// `podtrail attribute`: who held each address of a flow log at the time of its row, in bulk.
import { type Command, Option } from 'commander';
import { askLedger } from '../attribute/ask.ts';
import { attributeStream, type Tally, withoutZone } from '../attribute/attribute-stream.ts';
import type { Cli } from '../cli.ts';
import { CliError, InterruptedError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { visible } from '../output/visible.ts';

interface AttributeFlags extends SharedOptions {
  readonly ip: string;
  readonly time: string;
  readonly output?: 'csv' | 'jsonl';
}

const PROGRESS_MS = 500;
const MOST_MALFORMED_TOLD = 10;

export function attributeCommand(cli: Cli): Command {
  return cli
    .command('attribute', 'Who held the address of each row of a flow log, at the time of the row?', [
      ...(['timezone', 'cluster', 'store', 'headers'] as const),
    ])
    .argument('<file>', 'CSV with a header, or JSON lines; - reads standard input')
    .requiredOption('--ip <column>', 'the column with the address; in JSON a member, or a path as source.ip')
    .requiredOption('--time <column>', 'the column with the time')
    .addOption(new Option('-o, --output <format>', 'without it the format of the input').choices(['csv', 'jsonl']))
    .addHelpText(
      'after',
      `
Prints the same rows in the same order with these columns behind: answer, kind, namespace, pod, uid, node, workload,
from, to, candidates. "pod" is the name of the holder, whatever its kind. When the answer is ambiguous "pod" is empty
and "candidates" lists who it may have been. A column that the input has already keeps its name, and ours is called
podtrail_NAME. A row about which nothing can be asked is kept, with the answer "malformed".

Answers about the last seconds may still change; the closing line on standard error counts them as provisional.
A time without a zone (2026-11-15 10:05:00) is refused unless --timezone says which zone the log is in.
Exit code 0 when every row was processed, whatever the answers; 1 when not one row could be read.

Examples:
  podtrail attribute flows.csv --ip src_addr --time start > attributed.csv
  zcat flows.json.gz | podtrail attribute - --ip source.ip --time @timestamp -o csv`,
    )
    .action(cli.finishes((file: string, options: AttributeFlags) => run(cli, file, options)));
}

async function run(cli: Cli, file: string, options: AttributeFlags) {
  const { stdin, stdout, stderr, clock, signal, readFile } = cli.surroundings;
  // Not the machine's zone: where a log was written is not where it is read.
  const zone = options.timezone === undefined ? undefined : cli.zone(options);
  const started = clock.monotonic();
  let nextProgress = started + PROGRESS_MS;
  let told = 0;
  const tally = await cli.withLedger(options, async ({ engine, cluster }) =>
    attributeStream({
      input: file === '-' ? stdin : readFile(file),
      out: stdout,
      columns: { ip: options.ip, time: options.time },
      format: options.output,
      headers: options.headers !== false,
      zone,
      ledger: askLedger(engine, cluster.id, cli.now),
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
        if (++told <= MOST_MALFORMED_TOLD) await cli.note(`row ${row}: ${visible(problem)}`);
        if (told === MOST_MALFORMED_TOLD + 1) await cli.note('more rows are malformed; they are not told one by one');
      },
    }).catch((error) => {
      throw signal.aborted ? new InterruptedError() : error;
    }),
  );
  if (stderr.isTTY && !stdout.isTTY) await stderr.write('\r\u001b[2K');
  await cli.note(closingLine(tally));
  if (tally.withoutZone !== undefined) throw withoutZone(tally.withoutZone);
  if (tally.rows > 0 && tally.malformed === tally.rows) {
    throw new CliError('nothing-read', 'not one row could be read', {
      hint: 'compare --ip and --time with the columns of the input; the first rows above say what is wrong.',
    });
  }
  return EXIT.answered;
}

function closingLine(tally: Tally): string {
  const percent = (n: number) => (tally.rows === 0 ? '0' : ((n / tally.rows) * 100).toFixed(1));
  const answers = (['held', 'free', 'ambiguous', 'unknown'] as const).map((a) => `${percent(tally[a])}% ${a}`);
  if (tally.malformed > 0) answers.push(`${percent(tally.malformed)}% malformed (${tally.malformed})`);
  const cut =
    tally.cut === 0 ? '' : `; ${tally.cut} rows had members that the first row lacks, and those were left out`;
  const provisional =
    tally.provisional === 0
      ? ''
      : `; ${tally.provisional} of them provisional: the watch has not confirmed those instants yet, ask again in a minute`;
  return `${tally.rows} rows: ${answers.join(', ')}${cut}${provisional}`;
}
