// Admission webhooks on this machine for the audit stage: one that denies, one that changes, one that denies with a code
// of its own. Those that cannot be reached need no server.
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type ControlPlane, LOOPBACK_NAMES } from '../controlplane/index.ts';

export interface Webhooks {
  readonly url: string;
  close(): void;
}

const PATCH = Buffer.from('[{"op":"add","path":"/metadata/annotations","value":{"injected":"yes"}}]').toString(
  'base64',
);

export async function startWebhooks(plane: ControlPlane): Promise<Webhooks> {
  const { key, certificate } = plane.pki.cluster.issue({
    subject: { commonName: 'webhook' },
    usage: 'server',
    names: LOOPBACK_NAMES,
  });
  const server: Server = createServer({ key, cert: certificate }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { uid } = (JSON.parse(Buffer.concat(chunks).toString()) as { request: { uid: string } }).request;
    const answer = {
      '/deny': { allowed: false, status: { message: 'images must come from our registry' } },
      '/deny-409': { allowed: false, status: { code: 409, reason: 'Conflict', message: 'somebody else is at it' } },
      '/mutate': { allowed: true, patchType: 'JSONPatch', patch: PATCH },
    }[request.url?.split('?')[0] ?? ''] ?? { allowed: true };
    response.setHeader('Content-Type', 'application/json');
    response.end(
      JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, ...answer } }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}
