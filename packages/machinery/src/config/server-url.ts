// The address of the API server as ClusterConfig wants it: http or https, no trailing slash, no query, no credentials.
import { ConfigError } from '../errors.ts';

/** `where` names the place it was written, for example `cluster "kind" in /home/me/.kube/config`. */
export function normalizeServer(server: string, where: string): string {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    // Never echo it whole: it may hold a password.
    const shown = server.replace(/^(.*:\/\/)?[^/]*@/, '$1');
    throw new ConfigError('config-server', `the server "${shown}" of ${where} is not an http or https URL`, {
      hint: `Write it with its scheme, for example https://${/^[\w.-]+(:\d+)?$/.test(shown) ? shown : 'HOST:6443'}`,
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigError('config-server', `the server URL of ${where} holds a user name or password`, {
      hint: 'Move them to "username" and "password" of the user entry.',
    });
  }
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`;
}

export const isSecure = (server: string): boolean => server.startsWith('https:');
