// A command that asks, run by a server: its words go there, what it prints comes back. So the same code prints the same
// bytes and gives the same exit code wherever the ledger is; the asker's zone, namespace and terminal come along.

export const COMMANDS_PATH = '/api/v1/commands';

/** Those that only ask. Others are not for a server to run. */
const ASKING: readonly string[] = ['who', 'trail', 'node', 'changes', 'explain', 'moves', 'anomalies', 'gaps'];

export function isAsking(command: string | undefined): boolean {
  return command !== undefined && ASKING.includes(command);
}

export interface RemoteCommand {
  /** The command first. */
  readonly words: readonly string[];
  /** IANA name of the asker's time zone. */
  readonly zone: string;
  /** Of the asker's current context; null: there is none. */
  readonly namespace: string | null;
  /** Standard output is a terminal that shows colours. */
  readonly colour: boolean;
}

export interface RanCommand {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}
