// Whether this replica may write where API servers find conversion. They ask whatever is written there about every
// request for v1alpha1: an address that is not there breaks it, and one operator must not take it from another that
// serves. Asked by the endpoint before it writes; reads only.
import { X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import { isIPv4, isIPv6 } from 'node:net';
import { type Client, SERVICES } from '@podtrail/machinery';
import { splitBundle } from '../certificates/trust-bundle.ts';
import type { AnnouncedWebhook } from '../conversion/conversion-endpoint.ts';
import { OperatorError } from '../errors.ts';

export interface ConversionClaim {
  readonly client: Pick<Client, 'resource'>;
  /** As certificates of this replica have it. */
  readonly identity: string;
  readonly now: () => number;
}

const ANSWER_WITHIN_MS = 3_000;

/** Rejects with the reason if `own` must not be written; `known` is what stands there now. */
export async function checkClaim(
  { client, identity, now }: ConversionClaim,
  own: AnnouncedWebhook,
  known: AnnouncedWebhook | undefined,
  signal: AbortSignal,
): Promise<void> {
  const exists = ({ namespace, name }: { namespace: string; name: string }) =>
    hasService(client, namespace, name, signal);
  if (own.service !== undefined && !(await exists(own.service)))
    throw refused(`there is no Service ${nameOf(own)}`, 'apply deploy/kustomize, or say --no-conversion.');
  if (known === undefined || nameOf(known) === nameOf(own)) return;
  const certificates = splitBundle(decoded(known)).flatMap((pem) => read(pem) ?? []);
  // Nobody can be reached under it: the trust that it names has run out, or it is not there.
  if (!certificates.some(({ validToDate }) => validToDate.getTime() > now())) return;
  if (known.service !== undefined && !(await exists(known.service))) return;
  // Another port of the same replica, which was killed: names of hosts and pods are good enough for that.
  const isOurs = certificates.some(({ subject }) => subject.split('\n').includes(`CN=${identity}`));
  if (known.url !== undefined && (isOurs || !(await answers(known.url, decoded(known), signal)))) return;
  const hint = 'if that one is to go, end it, or set spec.conversion of the definition back to strategy None.';
  throw refused(`another operator serves v1alpha1 already: ${nameOf(known)}`, hint);
}

/** No Service leads to a port that only this machine reaches. */
export function isLoopback(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, '');
  if (isIPv4(plain)) return plain.startsWith('127.');
  return isIPv6(plain) ? plain === '::1' : plain === 'localhost';
}

function refused(sentence: string, hint: string): OperatorError {
  return new OperatorError('conversion-not-announced', sentence, { hint });
}

/** By a list: that is what the recorder may do with Services. */
async function hasService(client: Pick<Client, 'resource'>, namespace: string, name: string, signal: AbortSignal) {
  const { items } = await client
    .resource(SERVICES, namespace)
    .list({ fieldSelector: `metadata.name=${name}`, limit: 1, signal });
  return items.some(({ metadata }) => metadata.name === name);
}

function nameOf({ service, url }: AnnouncedWebhook): string {
  return service === undefined ? `${url}` : `${service.namespace}/${service.name}`;
}

function decoded({ caBundle = '' }: AnnouncedWebhook): string {
  return Buffer.from(caBundle, 'base64').toString('utf8');
}

function read(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

/** As an API server would find it: any answer, over TLS that the bundle vouches for. */
function answers(url: string, ca: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request(url, { method: 'POST', ca, signal, timeout: ANSWER_WITHIN_MS, agent: false }, (response) => {
      response.resume();
      resolve(true);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
    asked.on('close', () => resolve(false));
    asked.end('{}');
  });
}
