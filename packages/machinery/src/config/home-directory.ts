// The home directory of the user. In a container the user may be a bare number, without an entry in /etc/passwd.
import { homedir } from 'node:os';

/** HOME, else what the system knows of the user, else the root: never an error. */
export function homeDirectory(
  env: Readonly<Record<string, string | undefined>>,
  system: () => string = homedir,
): string {
  if (env['HOME']) return env['HOME'];
  try {
    return system();
  } catch {
    return '/';
  }
}
