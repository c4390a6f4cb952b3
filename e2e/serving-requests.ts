// Requests to the history API as a client beside kubectl makes them: through the API server as some user, or at the TLS
// port itself with whatever certificate and headers. Used by the serving tests.
import { spawn } from 'node:child_process';
import { request } from 'node:https';
import type { KeyAndCertificate } from './controlplane/certificate-authority.ts';

export interface DirectAnswer {
  readonly status: number;
  readonly body: string;
}

/** At the TLS port; the certificate of the server is not looked at. */
export function askDirectly(
  port: number,
  path: string,
  options: {
    readonly host?: string;
    readonly client?: KeyAndCertificate;
    readonly headers?: Record<string, string | string[]>;
  } = {},
): Promise<DirectAnswer> {
  const { host = '127.0.0.1', client, headers = {} } = options;
  const identity = client === undefined ? {} : { key: client.key, cert: client.certificate };
  return new Promise((resolve, reject) => {
    const asked = request(
      { host, port, path, headers, ...identity, rejectUnauthorized: false, agent: false },
      async (response) => {
        const body = Buffer.concat(await response.toArray()).toString('utf8');
        resolve({ status: response.statusCode ?? 0, body });
      },
    );
    asked.on('error', reject).end();
  });
}

/** kubectl that goes on: its lines so far, and its end. */
export function kubectlGoesOn(file: string, kubeconfig: string, args: readonly string[]) {
  const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', KUBECONFIG: kubeconfig };
  const child = spawn(file, ['--cache-dir', `${kubeconfig}.cache`, ...args], { env });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  let code: number | null | undefined;
  child.on('close', (ended) => (code = ended));
  return {
    /** Undefined while it goes on. */
    get code() {
      return code;
    },
    get out() {
      return out;
    },
    get err() {
      return err;
    },
    end: () => void child.kill('SIGKILL'),
  };
}
