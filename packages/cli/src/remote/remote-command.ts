// A command that asks, run by a server: its words go there, what it prints comes back. So the same code prints the same
// bytes and gives the same exit code wherever the ledger is; the asker's zone, namespace and terminal come along.
import type { Attribution } from '@podtrail/history/wire';

export const COMMANDS_PATH = '/api/v1/commands';

/** Those that only ask. Others are not for a server to run. */
export const ASKING: readonly string[] = ['who', 'trail', 'node', 'changes', 'explain', 'moves', 'anomalies', 'gaps'];

export function isAsking(command: string | undefined): boolean {
  return command !== undefined && ASKING.includes(command);
}

export const MOST_BODY_BYTES = 512 * 1024;
/** Of a log, at once: an answer comes within seconds, so that no proxy on the way ends it. */
export const MOST_QUESTIONS = 4096;

export interface RemoteCommand {
  /** The command first. */
  readonly words: readonly string[];
  /** IANA name of the asker's time zone. */
  readonly zone: string;
  /** Of the asker's current context; null: there is none. */
  readonly namespace: string | null;
  /** Standard output is a terminal that shows colours. */
  readonly colour: boolean;
  /** Of `attribute`: rows are read and written where the log is, and only what they ask is sent. */
  readonly asked?: AskedOfLog | undefined;
}

export interface AskedOfLog {
  readonly aboutFree: boolean;
  readonly cluster?: string | undefined;
  /** One instant is written twice. */
  readonly questions: readonly (readonly [ip: string, from: number, to: number])[];
}

export interface RanCommand {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
  readonly attributions?: Attributions | undefined;
}

export interface Attributions {
  readonly unique: readonly Attribution[];
  /** For each question its place among them. */
  readonly answers: readonly number[];
}
