// Credentials from an exec plugin (client.authentication.k8s.io): run when first needed, kept until they expire or the
// server refuses them, one run at a time however many requests wait. Never shows the plugin's arguments or its output.
import { stripVTControlCharacters } from 'node:util';
import { parse as parseYaml } from 'yaml';
import { ConfigError, CredentialError } from '../errors.ts';
import { errnoOf } from './file-problem.ts';
import type { Credential, CredentialSource } from './joined-identity.ts';
import type { ExecEntry } from './kubeconfig-file.ts';
import { checkPair } from './pem.ts';
import type { PluginOutcome } from './run-plugin.ts';
import type { ConfigSurroundings } from './surroundings.ts';
import { bearerHeader } from './token-file.ts';

/** `spec.cluster` of KUBERNETES_EXEC_INFO, in the words of that API. */
export interface ExecClusterInfo {
  readonly server: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'certificate-authority-data'?: string;
  readonly 'proxy-url'?: string;
  readonly 'disable-compression'?: boolean;
  readonly config: unknown;
}

export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly installHint: string | undefined;
  readonly interactiveMode: InteractiveMode;
  /** Asked before each run, as the certificate authority may have changed. Undefined: the plugin did not ask for it. */
  readonly clusterInfo: (() => Promise<ExecClusterInfo>) | undefined;
}

type InteractiveMode = 'Never' | 'IfAvailable' | 'Always';

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/** Without a person a plugin that hangs must not hang us; with one it may be waiting for a login in a browser. */
const TIME_LIMIT_MS = 60_000;
const TIME_LIMIT_WITH_PERSON_MS = 300_000;
/** A plugin that hands out expired credentials is not run for every single request. */
const SHORTEST_LIFE_MS = 1_000;

/** Checks the entry; `where` names it, for example `user "eks" in /home/me/.kube/config`. */
export function checkExecEntry(
  entry: ExecEntry,
  where: string,
  clusterInfo: () => Promise<ExecClusterInfo>,
): ExecPlugin {
  const { apiVersion, command, interactiveMode = defaultMode(apiVersion) } = entry;
  const invalid = (what: string, hint: string) =>
    new ConfigError('config-exec', `the exec plugin of ${where} ${what}`, { hint });
  if (command === undefined) throw invalid('has no command', 'Set "command" to the program to run.');
  if (apiVersion === undefined || !API_VERSIONS.includes(apiVersion)) {
    throw invalid(
      apiVersion === undefined ? 'has no apiVersion' : `has the apiVersion ${apiVersion}, which is not supported`,
      `Set it to ${API_VERSIONS.join(' or ')}; a newer version of the plugin may be needed.`,
    );
  }
  if (interactiveMode !== 'Never' && interactiveMode !== 'IfAvailable' && interactiveMode !== 'Always') {
    throw invalid(
      interactiveMode === undefined ? 'has no interactiveMode' : `has an unknown interactiveMode`,
      'Set it to Never, IfAvailable or Always.',
    );
  }
  if (entry.env.some((e) => e.name === '')) {
    throw invalid('has an environment variable without a name', 'Give every item under "env" a name and a value.');
  }
  return {
    apiVersion,
    command,
    args: entry.args,
    env: entry.env,
    installHint: entry.installHint,
    interactiveMode,
    clusterInfo: entry.provideClusterInfo ? clusterInfo : undefined,
  };
}

export class ExecCredential implements CredentialSource {
  readonly #plugin: ExecPlugin;
  readonly #surroundings: ConfigSurroundings;
  #credential: Credential | undefined;
  /** Wall clock, as the plugin's expirationTimestamp is. */
  #freshUntil = Number.NEGATIVE_INFINITY;
  #refused = false;
  #pending: Promise<Credential> | undefined;

  constructor(plugin: ExecPlugin, surroundings: ConfigSurroundings) {
    this.#plugin = plugin;
    this.#surroundings = surroundings;
  }

  current(): Promise<Credential> {
    const { clock } = this.#surroundings;
    if (this.#credential !== undefined && !this.#refused && clock.now() < this.#freshUntil) {
      return Promise.resolve(this.#credential);
    }
    this.#pending ??= this.#refresh().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  refuse(rejected: Credential): void {
    if (rejected === this.#credential) this.#refused = true;
  }

  async #refresh(): Promise<Credential> {
    const outcome = await this.#run();
    const { credential, expiresAt } = this.#read(outcome);
    this.#credential = credential;
    this.#freshUntil = Math.max(expiresAt, this.#surroundings.clock.now() + SHORTEST_LIFE_MS);
    this.#refused = false;
    return credential;
  }

  async #run(): Promise<PluginOutcome> {
    const { apiVersion, command, args, env, interactiveMode, clusterInfo } = this.#plugin;
    const { clock, runPlugin, stdinIsTerminal } = this.#surroundings;
    if (interactiveMode === 'Always' && !stdinIsTerminal) {
      throw new ConfigError(
        'exec-interactive',
        `the exec plugin ${command} must ask a person, but there is no terminal`,
        {
          hint: 'Run this in a terminal, or use credentials that need no questions (interactiveMode: Never).',
        },
      );
    }
    const interactive = interactiveMode !== 'Never' && stdinIsTerminal;
    const spec = clusterInfo === undefined ? { interactive } : { cluster: await clusterInfo(), interactive };
    const limit = stdinIsTerminal ? TIME_LIMIT_WITH_PERSON_MS : TIME_LIMIT_MS;
    const abort = new AbortController();
    const timer = clock.setTimer(limit, () =>
      abort.abort(
        new CredentialError('exec-timeout', `the exec plugin ${command} did not answer within ${limit / 1000} s`, {
          hint: 'Run it by hand: it may wait for an answer, or not reach its server.',
        }),
      ),
    );
    try {
      return await runPlugin({
        command,
        args,
        env: {
          ...this.#surroundings.env,
          ...Object.fromEntries(env.map((e) => [e.name, e.value])),
          KUBERNETES_EXEC_INFO: JSON.stringify({ kind: 'ExecCredential', apiVersion, spec }),
        },
        interactive,
        signal: abort.signal,
      });
    } catch (error) {
      throw error instanceof CredentialError ? error : this.#cannotStart(error);
    } finally {
      timer.cancel();
    }
  }

  #cannotStart(error: unknown): ConfigError | CredentialError {
    const { command, installHint } = this.#plugin;
    switch (errnoOf(error)) {
      case 'ENOENT':
        return new ConfigError('exec-not-found', `the exec plugin ${command} was not found`, {
          cause: withoutArguments(error),
          hint: installHint === undefined ? `Install ${command} or add it to PATH.` : printable(installHint),
        });
      case 'EACCES':
        return new ConfigError('exec-not-found', `the exec plugin ${command} may not be executed`, {
          cause: withoutArguments(error),
          hint: `Make it executable: chmod +x ${command}`,
        });
      default:
        return new CredentialError('exec-failed', `the exec plugin ${command} could not be started`, {
          cause: withoutArguments(error),
          hint: 'Run it by hand to see why.',
        });
    }
  }

  #read({ exitCode, stdout, stderr }: PluginOutcome): { credential: Credential; expiresAt: number } {
    const { command } = this.#plugin;
    if (exitCode !== 0) {
      const said = printable(stderr).trim();
      const how = exitCode === undefined ? 'was killed' : `failed with exit code ${exitCode}`;
      throw new CredentialError('exec-failed', `the exec plugin ${command} ${how}${said === '' ? '' : `: ${said}`}`, {
        hint: 'Run it by hand; its login may have expired.',
      });
    }
    const status = this.#statusOf(stdout);
    const token = textOf(status['token']);
    const cert = textOf(status['clientCertificateData']);
    const key = textOf(status['clientKeyData']);
    if (token === undefined && cert === undefined && key === undefined) {
      throw this.#badOutput('returned neither a token nor a client certificate');
    }
    if ((cert === undefined) !== (key === undefined)) {
      throw this.#badOutput('returned only one of clientCertificateData and clientKeyData');
    }
    if (cert !== undefined && key !== undefined) {
      checkPair(
        cert,
        key,
        `the certificate from the exec plugin ${command}`,
        `the key from the exec plugin ${command}`,
      );
    }
    return {
      credential: {
        authorization:
          token === undefined ? undefined : bearerHeader(token, `the answer of the exec plugin ${command}`),
        certificate: cert === undefined || key === undefined ? undefined : { cert, key },
      },
      expiresAt: this.#expiryOf(status['expirationTimestamp']),
    };
  }

  #statusOf(stdout: string): Readonly<Record<string, unknown>> {
    const answer = parseAnswer(stdout);
    if (answer === undefined) throw this.#badOutput('did not print an ExecCredential as JSON');
    const { apiVersion } = this.#plugin;
    if (answer['kind'] !== 'ExecCredential') throw this.#badOutput('printed something that is not an ExecCredential');
    if (answer['apiVersion'] !== apiVersion) {
      throw this.#badOutput(
        `is configured for ${apiVersion}, but answered with ${printable(String(answer['apiVersion']))}`,
      );
    }
    const status = answer['status'];
    if (typeof status !== 'object' || status === null) throw this.#badOutput('returned no status');
    return status as Readonly<Record<string, unknown>>;
  }

  #expiryOf(timestamp: unknown): number {
    if (timestamp === undefined || timestamp === null) return Number.POSITIVE_INFINITY;
    const at = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
    if (Number.isNaN(at)) throw this.#badOutput('returned an expirationTimestamp that is not a time');
    return at;
  }

  /** Never with a cause: parsers quote their input, and the input is a secret. */
  #badOutput(what: string): ConfigError {
    return new ConfigError('exec-output', `the exec plugin ${this.#plugin.command} ${what}`, {
      hint: 'Check the plugin and the apiVersion in the kubeconfig; a newer plugin may be needed.',
    });
  }
}

function defaultMode(apiVersion: string | undefined): string | undefined {
  return apiVersion === 'client.authentication.k8s.io/v1beta1' ? 'IfAvailable' : undefined;
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
function printable(text: string): string {
  return stripVTControlCharacters(text).replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
}

/** Node puts the whole command line into a spawn error, and an argument may be a secret. */
function withoutArguments(error: unknown): Error {
  return new Error(`spawn: ${errnoOf(error) ?? 'unknown error'}`);
}
