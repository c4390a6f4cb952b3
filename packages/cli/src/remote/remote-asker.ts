// Somebody who runs commands that ask on a ledger that is not here: a server, or the operator behind the Kubernetes API.
import type { RanCommand, RemoteCommand } from './remote-command.ts';

export interface RemoteAsker {
  /** For people. */
  readonly name: string;
  /** Rejects with an error that a person can act on. */
  ask(command: RemoteCommand): Promise<RanCommand>;
  close(): Promise<void>;
}
