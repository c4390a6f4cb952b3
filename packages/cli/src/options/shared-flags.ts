// The flags that several commands share, named and described once. A command names those that make sense for it;
// the others are refused with the reason that stands here.
import { Option } from 'commander';
import { FORMATS } from '../output/output-format.ts';

export interface SharedOptions {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly cluster?: string;
  readonly store?: string;
  readonly server?: string;
  readonly serverCa?: string;
  readonly sendKubeconfigToken?: boolean;
  readonly quiet?: boolean;
  readonly output?: string;
  readonly headers?: boolean;
  readonly color?: string;
  readonly at?: string;
  readonly since?: string;
  readonly until?: string;
  readonly timezone?: string;
}

interface SharedFlag {
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly byDefault?: string;
  /** Said when a command does not take it. */
  readonly whyNot: string;
}

export const SHARED_FLAGS = {
  namespace: {
    flags: '-n, --namespace <name>',
    description: 'namespace of the pod or workload; default: that of the current context, else "default"',
    whyNot: 'it does not ask about one namespace.',
  },
  onlyNamespace: {
    flags: '-n, --namespace <name>',
    description: 'only pods of this namespace; default: of all namespaces',
    whyNot: 'it does not ask about one namespace.',
  },
  allNamespaces: {
    flags: '-A, --all-namespaces',
    description: 'all namespaces',
    whyNot: 'it asks about one pod or workload, or about the whole cluster anyway.',
  },
  selector: {
    flags: '-l, --selector <labels>',
    description: 'label selector',
    whyNot: 'it does not select by labels; ask for a workload, as in Deployment/cart.',
  },
  context: {
    flags: '--context <name>',
    description:
      'context of the kubeconfig; a command that asks then asks its cluster, unless --store or --server is given',
    whyNot: 'it reads the store and no cluster; --cluster chooses among the clusters of the store.',
  },
  kubeconfig: {
    flags: '--kubeconfig <file>',
    description: 'kubeconfig file; else KUBECONFIG, else ~/.kube/config, else the service account of the pod',
    whyNot: 'it reads the store and no cluster; --cluster chooses among the clusters of the store.',
  },
  cluster: {
    flags: '--cluster <name|id>',
    description: 'which cluster of the store; needed only when it holds several',
    whyNot: 'it is not about one cluster of the store.',
  },
  store: {
    flags: '--store <url>',
    description: 'sqlite:PATH; else PODTRAIL_STORE, else ledger.db in the data directory of podtrail',
    whyNot: 'it uses no store.',
  },
  server: {
    flags: '--server <url>',
    description:
      'ask a server (podtrail serve, or the port of the operator) instead of a store; its token: PODTRAIL_TOKEN',
    whyNot: 'it does not ask a ledger.',
  },
  serverCa: {
    flags: '--server-ca <file>',
    description: 'who signed the certificate of --server; else PODTRAIL_SERVER_CA, else those that the system trusts',
    whyNot: 'it asks no server.',
  },
  sendKubeconfigToken: {
    flags: '--send-kubeconfig-token',
    description: 'send the token of the kubeconfig to --server, although it is meant for the API server',
    whyNot: 'it asks no server.',
  },
  quiet: {
    flags: '-q, --quiet',
    description: 'do not say on standard error what was asked, and where; warnings stay',
    whyNot: 'it says nothing that could be left out.',
  },
  output: {
    flags: '-o, --output <format>',
    description: 'how to print the answer',
    choices: FORMATS,
    byDefault: 'table',
    whyNot: 'it prints one thing in one way.',
  },
  headers: {
    flags: '--no-headers',
    description: 'leave out the headers of tables and CSV',
    whyNot: 'it prints no table.',
  },
  color: {
    flags: '--color <when>',
    description: 'colours in tables',
    choices: ['auto', 'always', 'never'],
    byDefault: 'auto',
    whyNot: 'it prints nothing in colour.',
  },
  at: {
    flags: '--at <time>',
    description: 'the instant that is asked about; default: now',
    whyNot: 'it is not about one instant.',
  },
  since: {
    flags: '--since <time>',
    description: 'from this time on, inclusive',
    whyNot: 'it is not about a span of time.',
  },
  until: {
    flags: '--until <time>',
    description: 'up to this time, exclusive; default: now',
    whyNot: 'it is not about a span of time.',
  },
  timezone: {
    flags: '--timezone <zone>',
    description: 'zone of times without one, and of those in tables; default: that of this machine',
    whyNot: 'it takes and prints no times.',
  },
} as const satisfies Record<string, SharedFlag>;

export type SharedFlagName = keyof typeof SHARED_FLAGS;

export function sharedOption(name: SharedFlagName): Option {
  const { flags, description, choices, byDefault }: SharedFlag = SHARED_FLAGS[name];
  const option = new Option(flags, description);
  if (choices !== undefined) option.choices(choices);
  if (byDefault !== undefined) option.default(byDefault);
  return option;
}

/** What other tools call them. */
const MEANT: Readonly<Record<string, string>> = {
  '--tz': '--timezone',
  '--time-zone': '--timezone',
  '--zone': '--timezone',
  '--format': '--output',
  '--time': '--at',
  '--when': '--at',
  '--from': '--since',
  '--to': '--until',
  '--ns': '--namespace',
  '--db': '--store',
};

export function flagMeant(flag: string): string | undefined {
  return Object.hasOwn(MEANT, flag) ? MEANT[flag] : undefined;
}

/** Why a command that does not know this flag does not take it; undefined if it is no flag of ours at all. */
export function whyNotTaken(flag: string): string | undefined {
  for (const { flags, whyNot } of Object.values<SharedFlag>(SHARED_FLAGS)) {
    if (flags.split(/[ ,]+/).includes(flag)) return whyNot;
  }
  return undefined;
}

/** True for `--store`, `-n` and the like: flags that stand before the command may be moved behind it. */
export function sharedFlagTakesValue(flag: string): boolean | undefined {
  for (const { flags } of Object.values<SharedFlag>(SHARED_FLAGS)) {
    if (flags.split(/[ ,]+/).includes(flag)) return flags.includes('<');
  }
  return undefined;
}
