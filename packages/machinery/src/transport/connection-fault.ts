// Names what went wrong below HTTP, so that nobody above matches on error messages.
import { ConnectionError, type ConnectionFault } from '../errors.ts';

const FAULT_BY_CODE: Readonly<Record<string, ConnectionFault>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ECONNABORTED: 'reset',
  UND_ERR_SOCKET: 'reset',
  // The connection ended within the body.
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'reset',
  UND_ERR_CLOSED: 'aborted',
  UND_ERR_DESTROYED: 'aborted',
  ABORT_ERR: 'aborted',
  ETIMEDOUT: 'timeout',
  EHOSTUNREACH: 'timeout',
  ENETUNREACH: 'timeout',
  EHOSTDOWN: 'timeout',
  ENETDOWN: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  EAI_NONAME: 'dns',
  UND_ERR_HEADERS_OVERFLOW: 'protocol',
  // Without a reason of ours undici aborts only where a proxy answers CONNECT with anything but 200.
  UND_ERR_ABORTED: 'proxy',
};

const HINTS: Partial<Record<ConnectionFault, string>> = {
  refused: 'is the API server running, and is the address in the kubeconfig right?',
  dns: 'the server name in the kubeconfig does not resolve; check it, or the network.',
  tls: 'check certificate-authority-data, tls-server-name and the client certificate in the kubeconfig.',
  timeout: 'the server did not answer in time; check the network, a firewall or the proxy between.',
  protocol: 'the answer is not HTTP; is this the address of an API server?',
};
const PROXY_HINT = 'check proxy-url in the kubeconfig, or HTTPS_PROXY and NO_PROXY.';

/** OpenSSL's verdicts on a certificate, as far as their names do not show it. */
const CERTIFICATE_VERDICTS = new Set([
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
]);

export interface FaultContext {
  readonly neverSent: boolean;
  /** Until the tunnel stands, whoever refuses or does not resolve is the proxy. */
  readonly viaProxy: boolean;
}

export function classifyFault(error: unknown): ConnectionFault {
  for (let e: unknown = error, depth = 0; e instanceof Error && depth < 5; depth++) {
    const code = (e as NodeJS.ErrnoException).code;
    if (typeof code === 'string') {
      const fault = FAULT_BY_CODE[code];
      if (fault !== undefined) return fault;
      if (isTlsCode(code)) return 'tls';
      if (code.startsWith('UND_ERR_PRX')) return 'proxy';
    }
    if (e.name === 'HTTPParserError') return parserFault(e);
    // Node tries every address of a name and reports all failures at once; the first one speaks for them.
    e = e instanceof AggregateError && e.errors.length > 0 ? e.errors[0] : e.cause;
  }
  return 'other';
}

export function connectionError(error: unknown, doing: string, context: FaultContext): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const fault = classifyFault(error);
  const atProxy = fault === 'proxy' || (context.viaProxy && context.neverSent && fault !== 'tls');
  const hint = atProxy ? PROXY_HINT : HINTS[fault];
  return new ConnectionError(fault, `${doing}: ${atProxy ? 'the proxy: ' : ''}${describe(error)}`, {
    cause: error,
    neverSent: context.neverSent,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** undici leaves its code empty; `data` is what could not be parsed: nothing, if the connection ended within chunks. */
function parserFault(error: Error & { data?: unknown }): ConnectionFault {
  return error.data === '' ? 'reset' : 'protocol';
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}

function isTlsCode(code: string): boolean {
  return (
    code.startsWith('ERR_TLS') ||
    code.startsWith('ERR_SSL') ||
    code.startsWith('ERR_OSSL') ||
    code.startsWith('CERT_') ||
    code.startsWith('UNABLE_TO_') ||
    code === 'EPROTO' ||
    CERTIFICATE_VERDICTS.has(code)
  );
}
