// Who is measured: ours and the peers, each as the command line of its own process.
import { join } from 'node:path';
import { UsageError } from './benchmark.ts';
import type { GoPrograms } from './cluster/go-programs.ts';
import { NODE_FLAGS } from './ours/node-flags.ts';

export interface Peer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Known to break down on large clusters: its end is a finding, not a failure of the benchmark. */
  readonly mayDie: boolean;
}

export const OURS = 'ours';
export const CLIENT_GO_JSON = 'client-go-json';
export const CLIENT_GO_PROTOBUF = 'client-go-protobuf';
export const CLIENT_GO_STRIP = 'client-go-protobuf-strip';
export const CLIENT_NODE = 'client-node';

export interface PeerSetup {
  readonly kubeconfig: string;
  readonly programs: GoPrograms;
  /** In place of the flags that podtrail ships with. */
  readonly nodeFlags: string | undefined;
}

export function peersNamed(names: readonly string[], setup: PeerSetup): Peer[] {
  const all = allPeers(setup);
  return names.map((name) => {
    const peer = all.find((candidate) => candidate.name === name);
    if (peer !== undefined) return peer;
    throw new UsageError(`There is no peer '${name}'; there are: ${all.map((candidate) => candidate.name).join(', ')}`);
  });
}

export function oursNodeFlags(given: string | undefined): readonly string[] {
  return given === undefined ? NODE_FLAGS : given.split(' ').filter((flag) => flag !== '');
}

function allPeers({ kubeconfig, programs, nodeFlags }: PeerSetup): Peer[] {
  const at = ['--kubeconfig', kubeconfig];
  const script = (...path: string[]) => join(import.meta.dirname, ...path);
  const node = process.execPath;
  return [
    peer(OURS, node, [...oursNodeFlags(nodeFlags), script('ours', 'sync.ts'), ...at]),
    peer(CLIENT_GO_JSON, programs.sync, ['--encoding', 'json', ...at]),
    peer(CLIENT_GO_PROTOBUF, programs.sync, at),
    peer(CLIENT_GO_STRIP, programs.sync, ['--strip', ...at]),
    // Room enough that it is not V8's default limit that ends it.
    peer(CLIENT_NODE, node, ['--max-old-space-size=6144', script('peers', 'client-node.ts'), ...at], true),
  ];
}

function peer(name: string, command: string, args: readonly string[], mayDie = false): Peer {
  return { name, command, args, mayDie };
}
