// What one log may cost whoever reads it. The command reads files of its own user; a server reads what anybody sends, in
// the process that also watches the cluster: there a record is small, and what does not fit is refused.
import { CliError } from '../errors.ts';

export interface LogLimits {
  /** Bytes of a record, and of a line of JSON. */
  readonly longestRecord: number;
  /** What becomes of delimited text that is longer: `cut` at its first line, since a quote was not closed. */
  readonly overlong: 'cut' | 'refuse';
  /** Of a record of JSON that becomes CSV, each number as it is written: that costs more. */
  readonly longestConverted: number;
  /** Of a record of JSON, at all depths: an object of so many takes long to be made, however short they are. */
  readonly mostMembers: number;
  /** And commas between what it holds: each tuple of a list may become a row. */
  readonly mostValues: number;
  /** Names in a header, and fields of a record: what is behind them is not taken apart. */
  readonly mostColumns: number;
  /** Bytes of the names: they are written again with each row of JSON. */
  readonly longestHeader: number;
  /** Of a log that is packed: bytes that it may unpack to. */
  readonly mostUnpacked: number;
  /** And how many for each of its own, once it is larger than a few megabytes. */
  readonly mostRatio: number;
  /** Zstandard keeps so much of what it has unpacked: the logarithm of its bytes. */
  readonly zstdWindowLog: number;
}

/** Whole request bodies are found in quotes; 64 MiB hold them, and are what an unclosed quote may cost. */
export const FILE_LIMITS: LogLimits = {
  longestRecord: 64 << 20,
  overlong: 'cut',
  longestConverted: Number.POSITIVE_INFINITY,
  mostMembers: Number.POSITIVE_INFINITY,
  mostValues: Number.POSITIVE_INFINITY,
  mostColumns: Number.POSITIVE_INFINITY,
  longestHeader: Number.POSITIVE_INFINITY,
  mostUnpacked: Number.POSITIVE_INFINITY,
  mostRatio: Number.POSITIVE_INFINITY,
  zstdWindowLog: 27,
};

export const SERVED_LIMITS: LogLimits = {
  longestRecord: 1 << 20,
  overlong: 'refuse',
  longestConverted: 128 << 10,
  mostMembers: 4_096,
  // Flow tuples as they are written have a hundred bytes each: 1 MiB has fewer.
  mostValues: 16_384,
  mostColumns: 256,
  longestHeader: 16 << 10,
  mostUnpacked: 16 * 2 ** 30,
  // Logs have been seen to shrink to a thirtieth.
  mostRatio: 100,
  // What `zstd -19` needs.
  zstdWindowLog: 23,
};

export function recordTooLong({ longestRecord }: LogLimits): CliError {
  return new CliError('record-too-long', `a record of the input is longer than ${longestRecord >> 20} MiB`, {
    hint: 'a quote or a bracket may not be closed; check the row behind the last one in the output.',
  });
}

export function tooLongForCsv({ longestConverted }: LogLimits): CliError {
  return new CliError('record-too-long', `a record of the input is longer than ${longestConverted >> 10} KiB`, {
    hint: 'records as long as that are not made into CSV: use --output jsonl.',
  });
}

export function tooManyColumns({ mostColumns }: LogLimits): CliError {
  return new CliError('too-many-columns', `the input has more than ${mostColumns} columns`, {
    hint: 'send those columns that are needed.',
  });
}

export function headerTooLong({ longestHeader }: LogLimits): CliError {
  return new CliError('header-too-long', `the names of the columns are longer than ${longestHeader >> 10} KiB`, {
    hint: 'check that the first line is a header; name the columns if there is none.',
  });
}
