// Who is measured: ours and the peers, each as the command line of its own process.
import { join } from 'node:path';
import { UsageError } from './benchmark.ts';
import type { GoPrograms } from './cluster/go-programs.ts';
import { NODE_FLAGS } from './ours/node-flags.ts';

export interface Peer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly encoding: 'protobuf' | 'json';
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
  /** In place of the flags that machinery recommends. */
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

/** For the JSON file: everything about Node that moves our figures. */
export function nodeSettings(given: string | undefined): Readonly<Record<string, unknown>> {
  // With a warm compile cache Node neither strips types nor compiles: much of a short process.
  return { nodeFlags: oursNodeFlags(given), nodeCompileCache: true };
}

function oursNodeFlags(given: string | undefined): readonly string[] {
  return given === undefined ? NODE_FLAGS : given.split(' ').filter((flag) => flag !== '');
}

function allPeers({ kubeconfig, programs, nodeFlags }: PeerSetup): Peer[] {
  const at = ['--kubeconfig', kubeconfig];
  const script = (...path: string[]) => join(import.meta.dirname, ...path);
  const node = process.execPath;
  const flags = oursNodeFlags(nodeFlags);
  // Room enough that it is not V8's default limit that ends it.
  const room = '--max-old-space-size=6144';
  const go = { command: programs.sync, mayDie: false };
  return [
    {
      name: OURS,
      command: node,
      args: [...flags, script('ours', 'sync.ts'), ...at],
      encoding: 'protobuf',
      mayDie: false,
    },
    { ...go, name: CLIENT_GO_JSON, args: ['--encoding', 'json', ...at], encoding: 'json' },
    { ...go, name: CLIENT_GO_PROTOBUF, args: at, encoding: 'protobuf' },
    { ...go, name: CLIENT_GO_STRIP, args: ['--strip', ...at], encoding: 'protobuf' },
    {
      name: CLIENT_NODE,
      command: node,
      args: [room, script('peers', 'client-node.ts'), ...at],
      encoding: 'json',
      mayDie: true,
    },
  ];
}

/** A peer that silently speaks another encoding than its name says would be compared under a false name. */
export function speaksAsNamed({ encoding }: Peer, contentType: string): boolean {
  return contentType.includes('protobuf') === (encoding === 'protobuf') && contentType !== '';
}
