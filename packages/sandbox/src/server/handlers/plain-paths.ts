// Paths that are no resources: the version, health, the list of paths.
import { type Answer, jsonAnswer, textAnswer } from './answer.ts';

/** The version whose behaviour is imitated. */
const VERSION = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.3-podtrail-sandbox',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: 'node',
  platform: `${process.platform}/${process.arch}`,
};

const PATHS = ['/api', '/api/v1', '/apis', '/healthz', '/livez', '/readyz', '/version'];

export function handlePlainPath(path: string, query: URLSearchParams, pretty: boolean): Answer | undefined {
  if (path === '/version' || path === '/version/') return jsonAnswer(VERSION, 200, pretty);
  if (path === '/') return jsonAnswer({ paths: PATHS }, 200, pretty);
  const check = /^\/(healthz|livez|readyz)$/.exec(path)?.[1];
  if (check === undefined) return undefined;
  return textAnswer(query.has('verbose') ? `[+]ping ok\n${check} check passed\n` : 'ok');
}
