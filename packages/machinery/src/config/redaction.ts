// Keeps secrets out of logs: marks objects so that console.log, util.inspect and JSON.stringify show a stand-in, while
// the fields themselves stay readable to the transport. A spread copy loses the mark, so it is applied last.
import { inspect } from 'node:util';
import type { ClusterConfig, Identity, TlsMaterial } from './identity.ts';

const HIDDEN = '[redacted]';

export function sealIdentity(identity: Identity): Identity {
  return seal(identity, () => ({
    authorization: identity.authorization === undefined ? undefined : HIDDEN,
    tls: describeTls(identity.tls),
  }));
}

export function sealTls(tls: TlsMaterial): TlsMaterial {
  return seal(tls, () => describeTls(tls));
}

export function sealConfig(config: ClusterConfig): ClusterConfig {
  return seal(config, () => ({
    ...config,
    proxyUrl: config.proxyUrl?.replace(/\/\/[^/@]*@/, `//${HIDDEN}@`),
    identity: HIDDEN,
  }));
}

function describeTls(tls: TlsMaterial): TlsMaterial {
  return { ...tls, key: tls.key === undefined ? undefined : HIDDEN };
}

function seal<T extends object>(value: T, shown: () => object): T {
  Object.defineProperty(value, 'toJSON', { value: shown });
  Object.defineProperty(value, inspect.custom, { value: shown });
  return Object.freeze(value);
}
