// The aggregated API behind TLS, for the fuzzer: some connections have the certificate of a front proxy and name a user,
// others have none, or one of another name, and forge the same headers: 401, always.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { createCertificateAuthority, FRONT_PROXY_NAME, httpRequest, LOOPBACK_NAMES } from '../../controlplane/index.ts';
import type { Chance } from '../random.ts';
import { type DescribedPath, forgedRequest, fuzzedRequest } from './fuzzed-request.ts';
import { portOf, type RequestTarget, startServer } from './request-target.ts';

const PROCESS = join(import.meta.dirname, 'history-port-process.ts');
const OPEN_API = '/openapi/v3/apis/history.podtrail.dev/v1';
const USER = 'x-remote-user: jane';
const NAMESPACES = ['shop', 'vault', 'nowhere', '%00', '..'];
const NAMES = ['pod-7', '10-0-0-1', '00000000-0000-4000-8000-000000000000', '%ff', 'start-1000', 'a'.repeat(300)];
const DOCUMENTS = [
  '/apis',
  '/apis/history.podtrail.dev',
  '/apis/history.podtrail.dev/v1',
  '/openapi/v2',
  '/openapi/v3',
];

export async function aggregatedTarget(store: string, out: string): Promise<RequestTarget> {
  const servers = createCertificateAuthority('servers');
  const proxies = createCertificateAuthority('front proxies');
  const own = servers.issue({ subject: { commonName: 'localhost' }, usage: 'server', names: LOOPBACK_NAMES });
  const proxy = proxies.issue({ subject: { commonName: FRONT_PROXY_NAME }, usage: 'client' });
  const other = proxies.issue({ subject: { commonName: 'somebody-else' }, usage: 'client' });
  await writeFile(join(out, 'server.crt'), own.certificate);
  await writeFile(join(out, 'server.key'), own.key, { mode: 0o600 });
  await writeFile(join(out, 'front-proxy-ca.crt'), proxies.certificate);
  const child = startServer([PROCESS, store, out]);
  const port = await portOf(child);
  const origin = `https://localhost:${port}`;
  const headers = { 'X-Remote-User': 'jane' };
  const openApi = await httpRequest(origin + OPEN_API, { ...proxy, ca: servers.certificate, headers });
  const paths = describedPaths(openApi.json());
  const host = `localhost:${port}`;
  const connection = (client?: { readonly key: string; readonly certificate: string }) => async () => {
    const identity = client === undefined ? {} : { key: client.key, cert: client.certificate };
    const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca: servers.certificate, ...identity });
    await once(socket, 'secureConnect');
    return socket;
  };
  const forging = (chance: Chance) => {
    const described = filled(chance, chance.pick(paths));
    // What cannot be decoded is at no path, for nobody.
    return forgedRequest(chance, { ...described, path: described.path.replace('%ff', 'pod-7') }, host);
  };
  const asking = {
    connect: connection(proxy),
    nextRequest: (chance: Chance) => fuzzedRequest(chance, [filled(chance, chance.pick(paths))], USER, host),
  };
  return {
    ...{ name: 'the aggregated API', child },
    kinds: [
      ...[asking, asking, asking],
      { connect: connection(), nextRequest: forging },
      asking,
      { connect: connection(other), nextRequest: forging },
    ],
  };
}

/** What it describes itself, and the documents. */
function describedPaths({
  paths,
}: {
  readonly paths: Record<string, Record<string, { readonly parameters?: DescribedPath['parameters'] }>>;
}): readonly DescribedPath[] {
  const described = Object.entries(paths).flatMap(([path, { parameters: shared = [], ...operations }]) =>
    Object.entries(operations)
      .filter(([method]) => ['get', 'post'].includes(method))
      .map(([method, { parameters = [] }]) => ({
        ...{ path, method: method.toUpperCase() },
        parameters: [...(shared as DescribedPath['parameters']), ...parameters].filter(
          ({ name }) => !path.includes(`{${name}}`),
        ),
      })),
  );
  return [...described, ...DOCUMENTS.map((path) => ({ path, method: 'GET', parameters: [] }))];
}

function filled(chance: Chance, described: DescribedPath): DescribedPath {
  const path = described.path.replace('{namespace}', chance.pick(NAMESPACES)).replace('{name}', chance.pick(NAMES));
  return { ...described, path };
}
