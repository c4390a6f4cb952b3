// Names what went wrong below HTTP, so that nobody above matches on error messages.
import { ConnectionError, type ConnectionFault } from '../errors.ts';

const FAULT_BY_CODE: Readonly<Record<string, ConnectionFault>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ECONNABORTED: 'reset',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_CLOSED: 'aborted',
  UND_ERR_DESTROYED: 'aborted',
  UND_ERR_ABORTED: 'aborted',
  ABORT_ERR: 'aborted',
  ETIMEDOUT: 'timeout',
  EHOSTUNREACH: 'timeout',
  ENETUNREACH: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  UND_ERR_HEADERS_OVERFLOW: 'protocol',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'protocol',
  UND_ERR_RESPONSE_STATUS_CODE: 'proxy',
};

const HINTS: Partial<Record<ConnectionFault, string>> = {
  refused: 'is the API server running, and is the address in the kubeconfig right?',
  dns: 'the server name in the kubeconfig does not resolve; check it, or the network.',
  tls: 'check certificate-authority-data, tls-server-name and the client certificate in the kubeconfig.',
  timeout: 'the server did not answer in time; check the network, a firewall or the proxy between.',
  proxy: 'check proxy-url in the kubeconfig, or HTTPS_PROXY and NO_PROXY.',
};

export function classifyFault(error: unknown): ConnectionFault {
  for (let e: unknown = error, depth = 0; e instanceof Error && depth < 5; depth++) {
    const code = (e as NodeJS.ErrnoException).code;
    if (typeof code === 'string') {
      const fault = FAULT_BY_CODE[code];
      if (fault !== undefined) return fault;
      if (isTlsCode(code)) return 'tls';
      if (code.startsWith('HPE_')) return 'protocol';
      if (code.startsWith('UND_ERR_PRX')) return 'proxy';
    }
    // Node tries every address of a name and reports all failures at once; the first one speaks for them.
    e = e instanceof AggregateError && e.errors.length > 0 ? e.errors[0] : e.cause;
  }
  return 'other';
}

export function connectionError(error: unknown, doing: string): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const fault = classifyFault(error);
  const detail = error instanceof Error ? error.message || (error as NodeJS.ErrnoException).code || error.name : error;
  const hint = HINTS[fault];
  return new ConnectionError(fault, `${doing}: ${String(detail)}`, {
    cause: error,
    ...(hint === undefined ? {} : { hint }),
  });
}

function isTlsCode(code: string): boolean {
  return (
    code.startsWith('ERR_TLS') ||
    code.startsWith('ERR_SSL') ||
    code.startsWith('CERT_') ||
    code.startsWith('UNABLE_TO_') ||
    code.includes('SELF_SIGNED') ||
    code === 'EPROTO' ||
    code === 'HOSTNAME_MISMATCH'
  );
}
