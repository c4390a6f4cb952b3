// What a person means by `web-1`, `deploy/cart`, a UID or an address. Kinds as kubectl spells them, short names too.
import { type IpAddress, parseIp, type Subject } from '@podtrail/history';
import { UsageError } from '../errors.ts';

export type Asked = { readonly by: 'ip'; readonly ip: IpAddress } | Subject;

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
const UID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const SUBJECT_HELP = `
What to ask about:
  web-1, pod/web-1        a pod by name, with all its lives (-n says in which namespace)
  deploy/cart             a workload: deployment, statefulset, daemonset, replicaset, job and their short names,
                          or any Kind/NAME as the owner is spelled
  uid/UID, or a bare UUID one life of a pod`;

/** `namespace` is asked for only where it is needed: it may have to read the kubeconfig. */
export async function parseSubject(text: string, namespace: () => Promise<string>): Promise<Asked> {
  const ip = parseIp(text);
  if (ip !== undefined) return { by: 'ip', ip };
  if (UID.test(text)) return { by: 'uid', uid: text.toLowerCase() };
  const slash = text.indexOf('/');
  if (slash === -1) return { by: 'name', namespace: await namespace(), name: text };
  const type = text.slice(0, slash);
  const name = text.slice(slash + 1);
  if (name === '' || name.includes('/')) throw new UsageError(`"${text}" is neither a pod nor TYPE/NAME`);
  if (type === 'uid') return { by: 'uid', uid: name };
  if (/^(?:pods?|po)$/.test(type)) return { by: 'name', namespace: await namespace(), name };
  const kind = known(type.toLowerCase().replace(/s$/, '')) ?? known(type.toLowerCase());
  if (kind === undefined && !/^[A-Z]/.test(type)) {
    throw new UsageError(
      `"${type}" is not a kind that podtrail knows`,
      'write a namespace with -n, and a custom kind as its owner reference has it: Rollout/cart.',
    );
  }
  return { by: 'workload', namespace: await namespace(), kind: kind ?? type, name };
}

function known(type: string): string | undefined {
  return Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
}

export function subjectPhrase(asked: Asked): string {
  switch (asked.by) {
    case 'ip':
      return `address ${asked.ip}`;
    case 'uid':
      return `pod with UID ${asked.uid}`;
    case 'name':
      return `pod ${asked.namespace}/${asked.name}`;
    case 'workload':
      return `${asked.kind} ${asked.namespace}/${asked.name}`;
  }
}
