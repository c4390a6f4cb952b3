// Turns Node's errno errors into sentences about a file that the configuration names. Used wherever config/ reads.
import { ConfigError } from '../errors.ts';
import type { ConfigFiles } from './config-env.ts';

/** Reads `path`; `what` names its role in the sentence, for example `the certificate authority of cluster "kind"`. */
export async function readNamedFile(files: ConfigFiles, path: string, what: string): Promise<string> {
  try {
    return await files.read(path);
  } catch (error) {
    throw fileProblem(path, what, error);
  }
}

export function fileProblem(path: string, what: string, error: unknown): ConfigError {
  const subject = `${what}, ${path},`;
  switch (errnoOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new ConfigError('config-file-missing', `${subject} does not exist`, {
        cause: error,
        hint: 'Check the path; relative paths inside a kubeconfig start at the directory of that kubeconfig.',
      });
    case 'EACCES':
    case 'EPERM':
      return new ConfigError('config-file-unreadable', `${subject} may not be read by this user`, {
        cause: error,
        hint: `Check the owner and the permissions: ls -l ${path}`,
      });
    case 'EISDIR':
      return new ConfigError('config-file-unreadable', `${subject} is a directory`, {
        cause: error,
        hint: 'Name the file inside it.',
      });
    default:
      return new ConfigError('config-file-unreadable', `${subject} cannot be read (${errnoOf(error) ?? 'unknown'})`, {
        cause: error,
        hint: `Try to read it yourself: cat ${path}`,
      });
  }
}

export const isMissingFile = (error: unknown): boolean => errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR';

export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
