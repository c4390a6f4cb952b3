// HTTPS_PROXY, HTTP_PROXY and NO_PROXY as Go programs (kubectl, client-go) read them, so that one shell setting means
// the same to all of them. Pure. A kubeconfig's own proxy-url is proxy-choice.ts, and ignores NO_PROXY.
import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type { Environment } from './config-env.ts';

export interface EnvironmentProxy {
  /** The variable it came from, for messages. */
  readonly variable: string;
  readonly url: string;
}

/** The proxy that the environment names for `server`, or undefined if it is to be reached directly. */
export function proxyFromEnvironment(env: Environment, server: URL): EnvironmentProxy | undefined {
  const secure = server.protocol === 'https:';
  const variable = firstSet(env, secure ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy']);
  if (variable === undefined) return undefined;
  const noProxy = firstSet(env, ['NO_PROXY', 'no_proxy']);
  const port = server.port || (secure ? '443' : '80');
  if (bypassesProxy(noProxy === undefined ? '' : (env[noProxy] ?? ''), hostOf(server), port)) return undefined;
  const value = env[variable] ?? '';
  // "proxy:3128" is allowed, and a URL parser would take "proxy" for a scheme.
  return { variable, url: /^[a-z][a-z0-9+.-]*:\/\/./i.test(value) ? value : `http://${value}` };
}

/** Whether `host` (no brackets) on `port` is reached directly. Loopback always is, whatever NO_PROXY says. */
export function bypassesProxy(noProxy: string, host: string, port: string): boolean {
  const name = host.toLowerCase();
  const family = isIP(name);
  if (name === 'localhost' || (family !== 0 && LOOPBACK.check(name, ipKind(family)))) return true;
  return noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== '' && (entry === '*' || matches(entry, name, family, port)));
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

function matches(entry: string, name: string, family: number, port: string): boolean {
  const cidr = parseCidr(entry);
  if (cidr !== undefined) return family !== 0 && cidr.check(name, ipKind(family));
  const { host, port: wantedPort } = splitPort(entry);
  if (host === '' || (wantedPort !== '' && wantedPort !== port)) return false;
  const entryFamily = isIP(host);
  if (entryFamily !== 0) {
    const list = new BlockList();
    list.addAddress(host, ipKind(entryFamily));
    return family !== 0 && list.check(name, ipKind(family));
  }
  if (family !== 0) return false;
  const domain = host.startsWith('*.') ? host.slice(1) : host;
  // "example.org" means itself and everything below it; ".example.org" only what is below.
  if (domain.startsWith('.')) return name.endsWith(asciiName(domain));
  return name === asciiName(domain) || name.endsWith(`.${asciiName(domain)}`);
}

function parseCidr(entry: string): BlockList | undefined {
  const slash = entry.indexOf('/');
  if (slash < 0) return undefined;
  const family = isIP(entry.slice(0, slash));
  const bits = entry.slice(slash + 1);
  if (family === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) return undefined;
  const list = new BlockList();
  list.addSubnet(entry.slice(0, slash), Number(bits), ipKind(family));
  return list;
}

/** "host:port" and "[v6]:port" have a port; a bare IPv6 address does not. */
function splitPort(entry: string): { host: string; port: string } {
  const found = /^(?:\[([^\]]*)\]|([^:[\]]*)):([^:]*)$/.exec(entry);
  return found === null ? { host: entry, port: '' } : { host: found[1] ?? found[2] ?? '', port: found[3] ?? '' };
}

function asciiName(domain: string): string {
  if (/^[\x00-\x7f]*$/.test(domain)) return domain;
  const dot = domain.startsWith('.') ? '.' : '';
  return dot + (domainToASCII(domain.slice(dot.length)) || domain.slice(dot.length));
}

const ipKind = (family: number): 'ipv4' | 'ipv6' => (family === 4 ? 'ipv4' : 'ipv6');
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');
const firstSet = (env: Environment, names: readonly string[]): string | undefined =>
  names.find((name) => env[name] !== undefined && env[name] !== '');
