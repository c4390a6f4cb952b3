// The proxy through which a cluster is reached: the kubeconfig's proxy-url if there is one, else what the environment
// says. Called by load-cluster-config.ts and in-cluster.ts. Never tries the proxy.
import { ConfigError } from '../errors.ts';
import type { Environment } from './config-env.ts';
import { proxyFromEnvironment } from './proxy-environment.ts';

/** `where` names the owner of `proxyUrl`; an explicit proxy-url is used whatever NO_PROXY says, as in client-go. */
export function chooseProxy(
  server: string,
  proxyUrl: string | undefined,
  where: string,
  env: Environment,
): string | undefined {
  if (proxyUrl !== undefined) return checkProxy(proxyUrl, `the proxy-url of ${where}`);
  const found = proxyFromEnvironment(env, new URL(server));
  return found === undefined ? undefined : checkProxy(found.url, `the environment variable ${found.variable}`);
}

function checkProxy(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const scheme = url?.protocol.slice(0, -1);
  if (scheme === 'http' || scheme === 'https') return text;
  if (scheme?.startsWith('socks')) {
    throw new ConfigError('config-proxy', `${source} is a SOCKS proxy (${scheme}), which is not supported`, {
      hint: 'Use an HTTP proxy that knows CONNECT, or put one (privoxy, gost) in front of the SOCKS proxy.',
    });
  }
  throw new ConfigError('config-proxy', `${source} is not an http or https URL`, {
    hint: 'Write it as http://HOST:PORT',
  });
}
