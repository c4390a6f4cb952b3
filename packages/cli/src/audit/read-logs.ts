// Reads the audit logs that were named, file after file in the order in which they were written, and lets the writer
// keep up. A file that is damaged does not keep the others from being read.
import { AuditReader, type AuditReaderOptions, type AuditTally, inLogOrder } from '@podtrail/history/audit';
import { type InputReader, inputsOf } from '../attribute/input.ts';
import { notText } from '../attribute/not-text.ts';
import { CliError } from '../errors.ts';

export interface LogReader extends InputReader {
  readonly readFile: (path: string, chunkBytes?: number) => AsyncIterable<Uint8Array>;
}

export interface ReadLogsOptions extends Pick<AuditReaderOptions, 'onAction' | 'onDamaged'> {
  readonly files: readonly string[];
  readonly reader: LogReader;
  readonly signal: AbortSignal;
  /** After each chunk; `isLive` when it came from standard input, which may be followed as it grows. */
  readonly onChunk: (tally: AuditTally, isLive: boolean) => Promise<void>;
  /** A file of a directory that is no text. */
  readonly onSkipped: (name: string, why: string) => Promise<void>;
  /** An archive whose rest cannot be unpacked. */
  readonly onBrokenOff: (name: string) => Promise<void>;
  /** Whether enough was found. */
  readonly isEnough: () => boolean;
}

/** A log is read in a tenth of the time that is allowed, and memory is what is short. */
const CHUNK = 1 << 18;

export interface ReadLogs {
  readonly tally: AuditTally;
  /** Archives that could not be read to their end. */
  readonly brokenOff: readonly CliError[];
}

export async function readLogs(options: ReadLogsOptions): Promise<ReadLogs> {
  const { reader, signal } = options;
  const audit = new AuditReader(options);
  const brokenOff: CliError[] = [];
  const inputs = inputsOf(options.files, {
    stdin: reader.stdin,
    readFile: (path) => reader.readFile(path, CHUNK),
    filesIn: async (path) => {
      const found = await reader.filesIn(path);
      return found === undefined ? undefined : inLogOrder(found);
    },
  });
  for await (const { name, isFound, bytes } of inputs) {
    audit.begin(name ?? 'the input');
    try {
      let isFirst = true;
      for await (const chunk of bytes) {
        signal.throwIfAborted();
        const wrong = isFirst ? notText(Buffer.from(chunk).toString('latin1', 0, 4096)) : undefined;
        if (wrong !== undefined && !isFound)
          throw new CliError('not-text', `${name ?? 'the input'} is ${wrong.what}`, {
            hint: 'an audit log is text, one JSON object a line; plain, gzip or zstd.',
          });
        if (wrong !== undefined) {
          await options.onSkipped(name ?? '', `it is ${wrong.what}`);
          break;
        }
        isFirst = false;
        audit.push(chunk);
        await options.onChunk(audit.tally, name === undefined);
        if (options.isEnough()) return { tally: audit.tally, brokenOff };
      }
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== 'damaged-archive') throw error;
      brokenOff.push(error);
      await options.onBrokenOff(name ?? 'the input');
    }
  }
  audit.end();
  return { tally: audit.tally, brokenOff };
}

/** Of logs in which hardly a line could be read: they are something else. */
export function mustBeAuditLog(tally: AuditTally, files: readonly string[]): void {
  if (tally.actions > 0 || tally.damaged <= tally.lines / 2) return;
  throw new CliError('nothing-read', `${files.join(', ')}: hardly a line is an event of audit.k8s.io/v1`, {
    hint: 'name the log of kube-apiserver (--audit-log-path), one JSON object a line. jq -c . makes lines of what was indented, jq -r .log takes out what a collector has wrapped.',
  });
}
