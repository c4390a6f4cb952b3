// What a person means by `web-1`, `deploy/cart`, a UID or an address. Kinds as kubectl writes them, short names too.
import type { Subject } from '../engines/snapshot.ts';
import { HistoryError } from '../errors.ts';
import { parseIp } from '../model/ip-address.ts';
import { addressOf } from './address.ts';
import type { Asked } from './asked.ts';

const KINDS: Readonly<Record<string, string>> = {
  deployment: 'Deployment',
  deploy: 'Deployment',
  statefulset: 'StatefulSet',
  sts: 'StatefulSet',
  daemonset: 'DaemonSet',
  ds: 'DaemonSet',
  replicaset: 'ReplicaSet',
  rs: 'ReplicaSet',
  replicationcontroller: 'ReplicationController',
  rc: 'ReplicationController',
  job: 'Job',
};
/** Of the kinds above, as kubectl writes them behind a dot. */
const GROUPS = ['apps', 'batch', 'extensions'];
/** No pod is called so; whoever writes it has mistyped an address, or pasted one with its port or its prefix. */
const LIKE_AN_ADDRESS = /^\d+(?:\.\d+){3}(?:[:/]\d+)?$/;
const UID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * `namespace` is asked for only where it is needed: it may have to read the kubeconfig. `written`: the one that the asker
 * wrote; a UID is looked for in that one alone, else in all.
 */
export async function parseSubject(
  text: string,
  namespace: () => Promise<string>,
  written: string | undefined,
): Promise<Asked> {
  const among = written === undefined ? {} : { namespace: written };
  const ip = LIKE_AN_ADDRESS.test(text) ? addressOf(text) : parseIp(text);
  if (ip !== undefined) return { by: 'ip', ip };
  if (UID.test(text)) return { by: 'uid', uid: text.toLowerCase(), ...among };
  const slash = text.indexOf('/');
  if (slash === -1) return { by: 'name', namespace: await namespace(), name: text };
  const type = text.slice(0, slash);
  const name = text.slice(slash + 1);
  if (name === '' || name.includes('/'))
    throw badSubject(
      `"${text}" is neither a pod nor TYPE/NAME`,
      'write web-1 or deploy/cart, and the namespace with -n.',
      'write web-1 or deploy/cart, and the namespace as namespace=NAME.',
    );
  if (type === 'uid') return { by: 'uid', uid: name, ...among };
  if (/^(?:pods?|po)$/i.test(type)) return { by: 'name', namespace: await namespace(), name };
  if (/^(?:services?|svc)$/i.test(type)) return { by: 'service', namespace: await namespace(), name };
  const plain = withoutGroup(type.toLowerCase());
  if (/^(?:nodes?|no)$/.test(plain)) {
    throw badSubject(
      `${text} is a node, and neither a pod nor a workload`,
      `podtrail node ${name} --since 1h says who came and left, and why.`,
      `ask node, with node=${name} and since=TIME: it says who came and left, and why.`,
    );
  }
  if (/^(?:cronjobs?|cj)$/.test(plain)) {
    throw badSubject(
      `podtrail records the Job that owns a pod, and not the CronJob behind it`,
      `ask for one of its Jobs, which are named ${name}-NUMBER: job/${name}-29384710.`,
    );
  }
  const kind = workloadKind(plain);
  if (kind === undefined && !/^[A-Z]/.test(type)) {
    throw badSubject(
      `"${type}" is not a kind that podtrail knows`,
      'write a namespace with -n, and a custom kind as its owner reference has it: Rollout/cart.',
      'write a namespace as namespace=NAME, and a custom kind as its owner reference has it: Rollout/cart.',
    );
  }
  return { by: 'workload', namespace: await namespace(), kind: kind ?? type, name };
}

function badSubject(message: string, hint: string, parameterHint?: string): HistoryError {
  return new HistoryError('bad-subject', message, { hint, ...(parameterHint === undefined ? {} : { parameterHint }) });
}

/** `deployments.apps` and `deployments.v1.apps`, as kubectl takes them. */
function withoutGroup(type: string): string {
  const [plain = '', ...rest] = type.split('.');
  return GROUPS.includes(rest.at(-1) ?? '') && rest.length <= 2 ? plain : type;
}

function workloadKind(plain: string): string | undefined {
  return known(plain.replace(/s$/, '')) ?? known(plain);
}

/** The kind that a person means by `po`, `svc`, `deployments.apps`; undefined where it is none that is known. */
export function kindOf(type: string): string | undefined {
  const plain = withoutGroup(type.toLowerCase());
  if (/^(?:pods?|po)$/.test(plain)) return 'Pod';
  if (/^(?:nodes?|no)$/.test(plain)) return 'Node';
  if (/^(?:services?|svc)$/.test(plain)) return 'Service';
  return workloadKind(plain);
}

function known(type: string): string | undefined {
  return Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
}

/** A pod or a workload by its name, which may be misspelled. */
export function isNamed(asked: Asked): asked is Extract<Subject, { readonly by: 'name' | 'workload' }> {
  return asked.by === 'name' || asked.by === 'workload';
}

export function subjectPhrase(asked: Asked): string {
  switch (asked.by) {
    case 'ip':
      return `address ${asked.ip}`;
    case 'service':
      return `Service ${asked.namespace}/${asked.name}`;
    case 'uid':
      return `pod with UID ${asked.uid}${asked.namespace === undefined ? '' : ` in namespace ${asked.namespace}`}`;
    case 'name':
      return `pod ${asked.namespace}/${asked.name}`;
    case 'workload':
      return `${asked.kind} ${asked.namespace}/${asked.name}`;
  }
}
