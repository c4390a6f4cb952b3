// The addresses in the status of a pod: podIP and podIPs are one list, and both lists hold valid addresses, at most one
// of each family. What is refused, and in which words, was read from a real server (e2e/conformance).
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { FieldError } from '../api-status-error.ts';
import { arrayAt, type JsonObject, objectAt, textAt } from '../json-object.ts';

const MAPPED = new BlockList();
MAPPED.addSubnet('::ffff:0:0', 96, 'ipv6');

/** podIP wins over a list that begins otherwise; without podIP it is the first of the list. */
export function joinPodAddresses(status: JsonObject): void {
  const single = textAt(status, 'podIP');
  const [first] = arrayAt(status, 'podIPs');
  if (single !== '' && textAt(first, 'ip') !== single) status['podIPs'] = [{ ip: single }];
  else if (first !== undefined) status['podIP'] = textAt(first, 'ip');
  if (textAt(status, 'podIP') === '' && first === undefined) {
    delete status['podIP'];
    delete status['podIPs'];
  }
}

/** Addresses that the pod had before stay allowed. */
export function checkPodAddresses(draft: JsonObject, current: JsonObject): FieldError[] {
  const status = objectAt(draft, 'status') ?? {};
  const before = objectAt(current, 'status') ?? {};
  const hostIPs = addresses(status, 'hostIPs');
  const [first] = hostIPs;
  const unequal = first !== undefined && first !== textAt(status, 'hostIP');
  return [
    ...checkList('status.podIPs', addresses(status, 'podIPs'), addresses(before, 'podIPs')),
    ...(unequal ? [invalidValue('status.hostIPs[0].ip', first, 'must be equal to `hostIP`')] : []),
    ...checkList('status.hostIPs', hostIPs, addresses(before, 'hostIPs')),
  ];
}

function addresses(status: JsonObject, field: string): string[] {
  return arrayAt(status, field).map((entry) => textAt(entry, 'ip'));
}

function checkList(field: string, list: readonly string[], before: readonly string[]): FieldError[] {
  const errors = list.flatMap((address, i) => {
    const problem = before.includes(address) ? undefined : problemOf(address);
    return problem === undefined ? [] : [invalidValue(`${field}[${i}]`, address, problem)];
  });
  if (list.length < 2) return errors;
  const families = list.map(familyOf);
  const unread = families.indexOf(undefined);
  if (unread !== -1) {
    const detail = `failed to check for dual stack with error:invalid IP[${unread}]: ${list[unread]}`;
    errors.push({ field, reason: 'InternalError', detail });
  }
  if (unread !== -1 || list.length > 2 || families[0] === families[1]) {
    const value = JSON.stringify(list.map((IP) => ({ IP })));
    errors.push({ field, reason: 'Invalid', value, detail: 'may specify no more than one IP for each IP family' });
  }
  return errors;
}

function invalidValue(field: string, value: string, detail: string): FieldError {
  return { field, reason: 'Invalid', value: JSON.stringify(value), detail };
}

function problemOf(address: string): string | undefined {
  if (familyOf(address) === undefined) return 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
  if (isMapped(address)) return 'must not be an IPv4-mapped IPv6 address';
  return isIPv4(address) || isIPv6(address) ? undefined : 'must not have leading 0s';
}

/** An IPv4 address may have leading zeros, and may be written as an IPv6 one. */
function familyOf(address: string): 'IPv4' | 'IPv6' | undefined {
  if (isMapped(address) || isIPv4(address.replace(/\b0+(?=\d)/g, ''))) return 'IPv4';
  return isIPv6(address) && !address.includes('%') ? 'IPv6' : undefined;
}

function isMapped(address: string): boolean {
  return isIPv6(address) && !address.includes('%') && MAPPED.check(address, 'ipv6');
}
