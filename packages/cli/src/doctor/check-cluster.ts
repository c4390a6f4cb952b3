// Looks at a cluster as the recorder would need it: can it be reached, does its clock agree, may we list and watch, may we
// read the Leases of nodes and what causes are found from; and is its history API in order.
import type { Client, ClusterConfig } from '@podtrail/machinery';
import { EVIDENCE_RESOURCES } from '@podtrail/operator';
import type { CommandEnv } from '../command-env.ts';
import { checkHistory } from './check-history.ts';
import { type Finding, found, looked } from './finding.ts';

export interface ClusterToCheck {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

const WITHIN_MS = 10_000;
/** Times in objects come from other clocks: more than this, and bounds of answers grow by it. */
const TOLERABLE_SKEW_MS = 2000;
const NEEDED = ['pods', 'nodes', 'services'] as const;
const NODE_LEASES = 'may read node leases';
const EVIDENCE = 'may watch evidence';

export async function checkCluster(which: ClusterToCheck, commandEnv: CommandEnv): Promise<Finding[]> {
  let config: ClusterConfig;
  try {
    config = await commandEnv.loadConfig(which);
  } catch (error) {
    const { message, hint, code } = error as { message: string; hint?: string; code?: string };
    // Whoever only asks a store needs no cluster; whoever named one does.
    const named = which.kubeconfig !== undefined || which.context !== undefined;
    return [found('kubeconfig', code === 'config-not-found' && !named ? 'skipped' : 'failed', message, hint)];
  }
  const findings = [found('kubeconfig', 'ok', `${config.origin}, ${config.server}`)];
  const client = await commandEnv.connect(config);
  try {
    const reached = await looked('API server', () => reach(client));
    findings.push(reached);
    if (reached.result === 'failed') return findings;
    findings.push(await looked('clocks', () => compareClocks(client, commandEnv)));
    for (const resource of NEEDED) {
      findings.push(await looked(`may watch ${resource}`, () => mayWatch(client, resource)));
    }
    findings.push(await looked(NODE_LEASES, () => mayReadLeases(client)));
    findings.push(await looked(EVIDENCE, () => mayWatchEvidence(client)));
    findings.push(...(await checkHistory(client)));
  } finally {
    await client.close();
  }
  return findings;
}

async function reach(client: Client): Promise<Finding> {
  const { gitVersion } = await client.discovery.serverVersion();
  return found('API server', 'ok', `Kubernetes ${gitVersion}`);
}

async function compareClocks(client: Client, { clock }: CommandEnv): Promise<Finding> {
  const before = clock.now();
  const { headers } = await client.raw({ method: 'GET', path: '/version' }, { timeoutMs: WITHIN_MS });
  const after = clock.now();
  const server = Date.parse(String(headers['date'] ?? ''));
  if (Number.isNaN(server)) return found('clocks', 'skipped', 'the server does not say its time');
  // Whole seconds, cut: the truth lies up to a second later.
  const ahead = Math.max(0, server - after);
  const behind = Math.max(0, before - (server + 1000));
  const skew = Math.max(ahead, behind);
  if (skew <= TOLERABLE_SKEW_MS) return found('clocks', 'ok', 'this machine and the server agree');
  const seconds = (skew / 1000).toFixed(1);
  const side = ahead > 0 ? 'ahead of' : 'behind';
  return found(
    'clocks',
    'warning',
    `the server is ${seconds} s ${side} this machine`,
    'let both take their time from NTP.',
  );
}

async function mayWatch(client: Client, resource: string): Promise<Finding> {
  const check = `may watch ${resource}`;
  const refused: string[] = [];
  for (const verb of ['list', 'watch']) if (!(await isAllowed(client, { verb, resource }))) refused.push(verb);
  if (refused.length === 0) return found(check, 'ok', 'in all namespaces');
  return found(
    check,
    'failed',
    `this user may not ${refused.join(' or ')} ${resource} of the whole cluster`,
    'grant it with a ClusterRole, or record some namespaces with --namespaces.',
  );
}

/** Recording goes on without: a warning, not a failure. */
async function mayReadLeases(client: Client): Promise<Finding> {
  const namespace = 'kube-node-lease';
  const asked = { verb: 'get', group: 'coordination.k8s.io', resource: 'leases', namespace };
  if (await isAllowed(client, asked)) return found(NODE_LEASES, 'ok', `in ${namespace}`);
  return found(
    NODE_LEASES,
    'warning',
    `this user may not get leases in ${namespace}: after a forced deletion an address is in doubt for about a minute longer`,
    `grant it with a RoleBinding in ${namespace}, as deploy/kustomize/role-bindings.yaml does; recording goes on without it.`,
  );
}

/** Who held an address is answered without it: a warning, not a failure. */
async function mayWatchEvidence(client: Client): Promise<Finding> {
  const refused: string[] = [];
  for (const { group, resource } of EVIDENCE_RESOURCES) {
    const may = async (verb: string) => await isAllowed(client, { verb, group, resource });
    if (!(await may('list')) || !(await may('watch'))) refused.push(group === '' ? resource : `${resource}.${group}`);
  }
  if (refused.length === 0) return found(EVIDENCE, 'ok', 'Events, owners of pods and namespaces, for causes');
  return found(
    EVIDENCE,
    'warning',
    `this user may not list and watch ${refused.join(', ')}: why a pod moved is "Unknown" where only they would say it`,
    'grant it as the ClusterRole podtrail-evidence of deploy/kustomize/roles.yaml does, or record with --no-causes.',
  );
}

async function isAllowed(client: Client, resourceAttributes: Readonly<Record<string, string>>): Promise<boolean> {
  const review = {
    kind: 'SelfSubjectAccessReview',
    apiVersion: 'authorization.k8s.io/v1',
    spec: { resourceAttributes },
  };
  const { body } = await client.raw(
    {
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(review),
    },
    { timeoutMs: WITHIN_MS },
  );
  const answer = JSON.parse(body.toString()) as { status?: { allowed?: boolean } };
  return answer.status?.allowed === true;
}
