// The kubeconfig that reaches a sandbox. Written as JSON, which every YAML reader takes.

export interface KubeconfigParts {
  readonly url: string;
  readonly caCertificate: string;
  readonly user: string | undefined;
  readonly token: string | undefined;
}

const NAME = 'podtrail-sandbox';

export function kubeconfigText({ url, caCertificate, user = 'anybody', token }: KubeconfigParts): string {
  const authority =
    caCertificate === '' ? {} : { 'certificate-authority-data': Buffer.from(caCertificate).toString('base64') };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': NAME,
    clusters: [{ name: NAME, cluster: { server: url, ...authority } }],
    users: [{ name: user, user: token === undefined ? {} : { token } }],
    contexts: [{ name: NAME, context: { cluster: NAME, user } }],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
