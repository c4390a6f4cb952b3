// One candidate of an election, as a process of its own: competes for a Lease and, while it leads, writes its name into
// a ConfigMap as often as it can. Started by candidate-process.ts, to which it sends what it sees; ends with the election.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  type ElectionOutcome,
  type ElectionTiming,
  fencedClient,
  type KubeObject,
  LEASES,
  LeaderElector,
  type Lease,
  LeaseLock,
  loadClusterConfig,
  MachineryError,
} from '@podtrail/machinery';

export interface CandidateSettings {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly lease: string;
  /** A ConfigMap that exists. */
  readonly journal: string;
  readonly identity: string;
  readonly timing: ElectionTiming;
}

export type CandidateMessage =
  | { readonly kind: 'saw-leader'; readonly identity: string }
  | { readonly kind: 'leads'; readonly transitions: number }
  | { readonly kind: 'write-failed'; readonly code: string; readonly saidLeader: boolean; readonly pauseMs: number }
  | { readonly kind: 'ended'; readonly outcome: ElectionOutcome };

const settings = JSON.parse(process.argv[2] ?? '') as CandidateSettings;
const { namespace, identity } = settings;
const send = (message: CandidateMessage) => new Promise((sent) => process.send?.(message, sent));
const client = Client.connect(await loadClusterConfig({ kubeconfig: settings.kubeconfig }));
const elector = new LeaderElector({
  ...settings.timing,
  lock: new LeaseLock({
    client: client.resource<Lease>(LEASES, namespace),
    namespace,
    name: settings.lease,
    identity,
  }),
});
const journal = fencedClient(client.configMaps(namespace), () => elector.isLeader());

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
// A test that is gone cannot stop us.
process.once('disconnect', () => process.exit(1));
let writing: Promise<void> | undefined;
const outcome = await elector.run(stop.signal, {
  onNewLeader: (leader) => void send({ kind: 'saw-leader', identity: leader }),
  onStartedLeading: () => {
    void send({ kind: 'leads', transitions: elector.transitions });
    return (writing = writeUntilRefused());
  },
});
await writing;
await send({ kind: 'ended', outcome });
process.exit(0);

/** Heeds no signal: only the fence may stop it. */
async function writeUntilRefused(): Promise<void> {
  // When the last write that was taken began: a stop may fall between any two lines.
  let last = performance.now();
  let map: KubeObject = await journal.get(settings.journal);
  for (;;) {
    const begun = performance.now();
    try {
      map = await journal.update({ ...map, data: { writer: identity } });
      last = begun;
    } catch (error) {
      const code = error instanceof MachineryError ? error.code : String(error);
      const pauseMs = performance.now() - last;
      await send({ kind: 'write-failed', code, saidLeader: elector.isLeader(), pauseMs });
      return;
    }
    await sleep(10);
  }
}
