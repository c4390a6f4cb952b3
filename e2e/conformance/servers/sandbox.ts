// The sandbox's API server with nothing behind it: no simulated cluster, so that objects stay as they are.
import { startSandboxServer } from '@podtrail/sandbox';
import { LIMITED_NAMESPACE, LIMITED_USER } from '../case.ts';
import type { ServerUnderTest } from './server.ts';

const ADMIN_TOKEN = 'admin-token';
const LIMITED_TOKEN = 'reader-token';

export async function startSandbox(): Promise<ServerUnderTest> {
  const server = await startSandboxServer({
    access: {
      tokens: { [ADMIN_TOKEN]: 'admin', [LIMITED_TOKEN]: LIMITED_USER },
      rules: [
        {
          effect: 'allow',
          users: [LIMITED_USER],
          verbs: ['get', 'list', 'watch'],
          resources: ['pods'],
          namespaces: [LIMITED_NAMESPACE],
        },
        { effect: 'deny', users: [LIMITED_USER] },
      ],
    },
  });
  server.api.create('namespaces', { metadata: { name: LIMITED_NAMESPACE } });
  const { url, caCertificate: ca } = server;
  return {
    name: 'sandbox',
    admin: { url, ca, token: ADMIN_TOKEN },
    limited: { url, ca, token: LIMITED_TOKEN },
    stranger: { url, ca, token: 'nobody-knows-this-token' },
    anonymous: { url, ca },
    async compact() {
      server.api.compact();
    },
    close: () => server.close(),
  };
}
