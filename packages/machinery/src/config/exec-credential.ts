// Credentials from an exec plugin (client.authentication.k8s.io): run when first needed, kept until they expire or the
// server refuses them, one run at a time however many requests wait. Never shows the plugin's arguments or its output.
import { ConfigError, CredentialError } from '../errors.ts';
import type { ConfigEnv } from './config-env.ts';
import { printable, readAnswer } from './exec-answer.ts';
import type { ExecPlugin } from './exec-plugin.ts';
import { errnoOf } from './file-problem.ts';
import type { Credential, CredentialSource } from './joined-identity.ts';
import type { PluginOutcome } from './run-plugin.ts';

/** Without a person a plugin that hangs must not hang us; with one it may be waiting for a login in a browser. */
const TIME_LIMIT_MS = 60_000;
const TIME_LIMIT_WITH_PERSON_MS = 300_000;
/** A plugin that hands out expired credentials is not run for every single request. */
const SHORTEST_LIFE_MS = 1_000;

export class ExecCredential implements CredentialSource {
  readonly #plugin: ExecPlugin;
  readonly #configEnv: ConfigEnv;
  #credential: Credential | undefined;
  /** Wall clock, as the plugin's expirationTimestamp is. */
  #freshUntil = Number.NEGATIVE_INFINITY;
  #refused = false;
  #pending: Promise<Credential> | undefined;

  constructor(plugin: ExecPlugin, configEnv: ConfigEnv) {
    this.#plugin = plugin;
    this.#configEnv = configEnv;
  }

  current(): Promise<Credential> {
    const { clock } = this.#configEnv;
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
    const { credential, expiresAt } = readAnswer(this.#plugin, outcome);
    this.#credential = credential;
    this.#freshUntil = Math.max(expiresAt, this.#configEnv.clock.now() + SHORTEST_LIFE_MS);
    this.#refused = false;
    return credential;
  }

  async #run(): Promise<PluginOutcome> {
    const { apiVersion, command, args, env, interactiveMode, clusterInfo } = this.#plugin;
    const { clock, runPlugin, stdinIsTerminal } = this.#configEnv;
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
          ...this.#configEnv.env,
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
}

/** Node puts the whole command line into a spawn error, and an argument may be a secret. */
function withoutArguments(error: unknown): Error {
  return new Error(`spawn: ${errnoOf(error) ?? 'unknown error'}`);
}
