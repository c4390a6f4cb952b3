// What an answer of the API server showed of a pod: its node and its addresses, at that instant. Only level RequestResponse
// has answers. Kubelets write the status of their pods, so a log of that level shows most addresses when they come.
import { type IpAddress, parseIp } from '../model/ip-address.ts';
import type { Holder } from '../model/records.ts';
import { workloadOf } from '../observe/workload.ts';
import { type AuditEvent, isObject, nameText, text } from './audit-event.ts';

export interface PodSighting {
  readonly holder: Holder;
  readonly ips: readonly IpAddress[];
  /** Its kubelet has ended it: it had the addresses until then at the latest. */
  readonly hasEnded: boolean;
}

/** A pod has one of each family. */
const MOST_IPS = 4;
const MOST_LABELS = 100;
const MOST_OWNERS = 20;

/** Undefined where the answer is no pod, or shows no address of it. */
export function podSighting({ responseObject }: AuditEvent): PodSighting | undefined {
  if (!isObject(responseObject) || responseObject['kind'] !== 'Pod') return undefined;
  const [metadata, spec, status] = ['metadata', 'spec', 'status'].map((key) => part(responseObject, key)) as [
    Fields,
    Fields,
    Fields,
  ];
  const [name, uid] = [nameText(metadata['name']), nameText(metadata['uid'])];
  if (name === undefined || uid === undefined) return undefined;
  const ips = ipsOf(status);
  if (ips.length === 0) return undefined;
  const phase = text(status['phase']);
  return {
    holder: {
      ...{ kind: 'Pod', namespace: nameText(metadata['namespace']) ?? '', name, uid },
      node: nameText(spec['nodeName']) ?? '',
      workload: workloadOf({
        ...{ name, namespace: '', uid, resourceVersion: '', annotations: new Map(), creationTimestamp: undefined },
        ...{ deletionTimestamp: undefined, deletionGracePeriodSeconds: undefined },
        labels: new Map(
          Object.entries(part(metadata, 'labels'))
            .slice(0, MOST_LABELS)
            .map(([key, value]) => [key, text(value)]),
        ),
        ownerReferences: list(metadata['ownerReferences'])
          .slice(0, MOST_OWNERS)
          .map((owner) => ({
            kind: text(owner['kind'], 300),
            name: text(owner['name'], 300),
            controller: owner['controller'] === true,
          })),
      }),
      hostNetwork: spec['hostNetwork'] === true,
    },
    ips,
    hasEnded: phase === 'Succeeded' || phase === 'Failed',
  };
}

type Fields = Record<string, unknown>;

function ipsOf(status: Fields): IpAddress[] {
  const many = list(status['podIPs']).slice(0, MOST_IPS);
  const texts = many.length > 0 ? many.map(({ ip }) => text(ip)) : [text(status['podIP'])];
  const found = texts.flatMap((one) => parseIp(one) ?? []);
  return [...new Set(found)];
}

function part(object: Fields, key: string): Fields {
  return isObject(object[key]) ? object[key] : {};
}

function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
