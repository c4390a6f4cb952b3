// What the config loaders may know of the machine: environment, directories, files, time, and a way to run an exec
// plugin. Everything in config/ takes one of these, so that a test needs no real home directory and no real plugin.
import { readFile, stat } from 'node:fs/promises';
import { type Clock, systemClock } from '../clock.ts';
import { homeDirectory } from './home-directory.ts';
import { type RunPlugin, runPluginProcess } from './run-plugin.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ConfigFiles {
  /** The whole file as UTF-8. Rejects with Node's errno errors (ENOENT, EACCES …). */
  read(path: string): Promise<string>;
  /** Differs whenever the content may differ; costs one stat. Rejects like `read`. */
  stamp(path: string): Promise<string>;
}

export interface ConfigEnv {
  readonly env: Environment;
  readonly homeDirectory: string;
  readonly workingDirectory: string;
  readonly files: ConfigFiles;
  readonly clock: Clock;
  readonly runPlugin: RunPlugin;
  /** Whether a person can answer an exec plugin's questions on our standard input. */
  readonly stdinIsTerminal: boolean;
}

export const systemFiles: ConfigFiles = {
  read: (path) => readFile(path, 'utf8'),
  async stamp(path) {
    // stat follows the `..data` link of a mounted Secret, so a flipped link shows as another inode.
    const s = await stat(path, { bigint: true });
    return `${s.ino}:${s.size}:${s.mtimeNs}:${s.ctimeNs}`;
  },
};

export function systemConfigEnv(): ConfigEnv {
  return {
    env: process.env,
    homeDirectory: homeDirectory(process.env),
    workingDirectory: process.cwd(),
    files: systemFiles,
    clock: systemClock,
    runPlugin: runPluginProcess,
    stdinIsTerminal: process.stdin.isTTY === true,
  };
}
