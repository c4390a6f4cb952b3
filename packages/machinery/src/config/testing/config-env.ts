// A made-up environment for the tests of config/: no real environment, home directory or process is touched.
import { ManualClock } from '../../testing/manual-clock.ts';
import type { ConfigEnv } from '../config-env.ts';
import type { PluginOutcome, PluginRequest } from '../run-plugin.ts';
import { MemoryFiles } from './memory-files.ts';

export interface MadeUpConfigEnv extends ConfigEnv {
  readonly files: MemoryFiles;
  readonly clock: ManualClock;
}

export function madeUpConfigEnv(
  files: Readonly<Record<string, string>> = {},
  rest: Partial<Omit<ConfigEnv, 'files' | 'clock'>> = {},
): MadeUpConfigEnv {
  return {
    env: {},
    homeDirectory: '/home/ada',
    workingDirectory: '/work',
    runPlugin: () => Promise.reject(new Error('this test runs no plugin')),
    stdinIsTerminal: false,
    ...rest,
    files: new MemoryFiles(files),
    clock: new ManualClock(),
  };
}

/** An exec plugin in memory: answers with what `answer` returns and remembers how it was called. */
export class FakePlugin {
  readonly requests: PluginRequest[] = [];
  answer: (request: PluginRequest) => Partial<PluginOutcome> | Promise<Partial<PluginOutcome>>;

  constructor(answer: FakePlugin['answer']) {
    this.answer = answer;
  }

  readonly run = async (request: PluginRequest): Promise<PluginOutcome> => {
    this.requests.push(request);
    return { exitCode: 0, stdout: '', stderr: '', ...(await this.answer(request)) };
  };
}

export function execCredential(status: object, version: 'v1' | 'v1beta1' = 'v1'): Partial<PluginOutcome> {
  const apiVersion = `client.authentication.k8s.io/${version}`;
  return { stdout: JSON.stringify({ kind: 'ExecCredential', apiVersion, status }) };
}
