// What an exec plugin answered: its exit code and its output made into a credential with an expiry, or into an error that
// quotes nothing of the output. Called by exec-credential.ts after every run.
import { stripVTControlCharacters } from 'node:util';
import { parse as parseYaml } from 'yaml';
import { ConfigError, CredentialError } from '../errors.ts';
import type { ExecPlugin } from './exec-plugin.ts';
import type { Credential } from './joined-identity.ts';
import { checkPair } from './pem.ts';
import type { PluginOutcome } from './run-plugin.ts';
import { bearerHeader } from './token-file.ts';

export interface ExecAnswer {
  readonly credential: Credential;
  /** Wall clock; infinity if the plugin named no expiry. */
  readonly expiresAt: number;
}

/** Throws CredentialError if the plugin failed, ConfigError if its answer is not what the kubeconfig promises. */
export function readAnswer(
  { command, apiVersion }: ExecPlugin,
  { exitCode, stdout, stderr }: PluginOutcome,
): ExecAnswer {
  if (exitCode !== 0) {
    const said = printable(stderr).trim();
    const how = exitCode === undefined ? 'was killed' : `failed with exit code ${exitCode}`;
    throw new CredentialError('exec-failed', `the exec plugin ${command} ${how}${said === '' ? '' : `: ${said}`}`, {
      hint: 'Run it by hand; its login may have expired.',
    });
  }
  const status = statusOf(command, apiVersion, stdout);
  const token = textOf(status['token']);
  const cert = textOf(status['clientCertificateData']);
  const key = textOf(status['clientKeyData']);
  if (token === undefined && cert === undefined && key === undefined) {
    throw badOutput(command, 'returned neither a token nor a client certificate');
  }
  if ((cert === undefined) !== (key === undefined)) {
    throw badOutput(command, 'returned only one of clientCertificateData and clientKeyData');
  }
  if (cert !== undefined && key !== undefined) {
    checkPair(cert, key, `the certificate from the exec plugin ${command}`, `the key from the exec plugin ${command}`);
  }
  return {
    credential: {
      authorization: token === undefined ? undefined : bearerHeader(token, `the answer of the exec plugin ${command}`),
      certificate: cert === undefined || key === undefined ? undefined : { cert, key },
    },
    expiresAt: expiryOf(command, status['expirationTimestamp']),
  };
}

function statusOf(command: string, apiVersion: string, stdout: string): Readonly<Record<string, unknown>> {
  const answer = parseAnswer(stdout);
  if (answer === undefined) throw badOutput(command, 'did not print an ExecCredential as JSON');
  if (answer['kind'] !== 'ExecCredential') throw badOutput(command, 'printed something that is not an ExecCredential');
  if (answer['apiVersion'] !== apiVersion) {
    throw badOutput(
      command,
      `is configured for ${apiVersion}, but answered with ${printable(String(answer['apiVersion']))}`,
    );
  }
  const status = answer['status'];
  if (typeof status !== 'object' || status === null) throw badOutput(command, 'returned no status');
  return status as Readonly<Record<string, unknown>>;
}

function expiryOf(command: string, timestamp: unknown): number {
  if (timestamp === undefined || timestamp === null) return Number.POSITIVE_INFINITY;
  const at = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  if (Number.isNaN(at)) throw badOutput(command, 'returned an expirationTimestamp that is not a time');
  return at;
}

/** Never with a cause: parsers quote their input, and the input is a secret. */
function badOutput(command: string, what: string): ConfigError {
  return new ConfigError('exec-output', `the exec plugin ${command} ${what}`, {
    hint: 'Check the plugin and the apiVersion in the kubeconfig; a newer plugin may be needed.',
  });
}

function parseAnswer(stdout: string): Readonly<Record<string, unknown>> | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(stdout);
  } catch {
    try {
      // Not 'silent': that level would also swallow syntax errors and accept an answer that was cut off.
      answer = parseYaml(stdout, { logLevel: 'error' });
    } catch {
      return undefined;
    }
  }
  return typeof answer === 'object' && answer !== null ? (answer as Readonly<Record<string, unknown>>) : undefined;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** A hint or a complaint from elsewhere must not move the cursor or recolour the terminal. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
}
