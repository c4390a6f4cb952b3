// The addresses that an object shows, and the texts in their place that are none. Only Kubernetes' fields are known here;
// whose an address is, and from when to when, is decided elsewhere.
import { type IpAddress, parseIp } from '../model/ip-address.ts';
import { objectName } from './object-name.ts';
import type { Observed } from './observation.ts';

/** A value of a field where an address belongs. */
interface AddressField {
  readonly field: string;
  readonly text: string;
}

/** Longer ones are cut: an object may hold anything. */
const SHOWN_TEXT = 60;

/** Each once, in the object's order. What does not parse is no address. */
export function addressesOf(seen: Observed): IpAddress[] {
  const found: IpAddress[] = [];
  for (const { text } of addressFields(seen)) {
    const ip = parseIp(text);
    if (ip !== undefined && !found.includes(ip)) found.push(ip);
  }
  return found;
}

/** A sentence that names the object and its fields, if one of them holds something that is not an address. */
export function unparsableAddresses(seen: Observed): string | undefined {
  const wrong = addressFields(seen).filter(({ text }) => text.trim() !== '' && parseIp(text) === undefined);
  if (wrong.length === 0) return undefined;
  const fields = wrong.map(({ field, text }) => `${field} ${JSON.stringify(text.slice(0, SHOWN_TEXT))}`);
  return `${objectName(seen)}: ${fields.join(', ')} ${fields.length === 1 ? 'is not an address' : 'are not addresses'}`;
}

function addressFields(seen: Observed): AddressField[] {
  switch (seen.kind) {
    case 'Pod': {
      const { podIP, podIPs } = seen.object.status;
      return podIPs.length > 0 ? listed('status.podIPs', podIPs) : [{ field: 'status.podIP', text: podIP }];
    }
    case 'Node':
      return seen.object.status.addresses.flatMap(({ type, address }, i) =>
        type.endsWith('IP') ? [{ field: `status.addresses[${i}]`, text: address }] : [],
      );
    case 'Service': {
      // Servers before 1.20 have no `clusterIPs`. A headless service has the word None in place of an address.
      const { clusterIP = '', clusterIPs } = seen.object.spec;
      const all = clusterIPs.length > 0 ? listed('spec.clusterIPs', clusterIPs) : [];
      return (all.length > 0 ? all : [{ field: 'spec.clusterIP', text: clusterIP }]).filter(
        ({ text }) => text !== 'None',
      );
    }
  }
}

function listed(field: string, texts: readonly string[]): AddressField[] {
  return texts.map((text, i) => ({ field: `${field}[${i}]`, text }));
}
