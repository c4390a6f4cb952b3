// A kubeconfig file for one user of one server. The text is plain YAML with quoted strings; nothing is read back.
import { writeFile } from 'node:fs/promises';

export interface KubeconfigContent {
  readonly server: string;
  readonly user: string;
  readonly ca: { readonly pem: string } | { readonly file: string };
  readonly credential:
    | { readonly kind: 'token'; readonly token: string }
    | { readonly kind: 'token-file'; readonly file: string }
    | { readonly kind: 'certificate'; readonly certificate: string; readonly key: string }
    | { readonly kind: 'certificate-files'; readonly certificateFile: string; readonly keyFile: string };
  readonly namespace?: string;
}

export async function writeKubeconfig(file: string, content: KubeconfigContent): Promise<void> {
  await writeFile(file, kubeconfigText(content), { mode: 0o600 });
}

function kubeconfigText({ server, user, ca, credential, namespace = 'default' }: KubeconfigContent): string {
  const quote = (text: string) => JSON.stringify(text);
  const data = (pem: string) => Buffer.from(pem).toString('base64');
  const trust =
    'pem' in ca ? `certificate-authority-data: ${data(ca.pem)}` : `certificate-authority: ${quote(ca.file)}`;
  const identity = {
    token: () => [`token: ${quote((credential as { token: string }).token)}`],
    'token-file': () => [`tokenFile: ${quote((credential as { file: string }).file)}`],
    certificate: () => {
      const { certificate, key } = credential as { certificate: string; key: string };
      return [`client-certificate-data: ${data(certificate)}`, `client-key-data: ${data(key)}`];
    },
    'certificate-files': () => {
      const { certificateFile, keyFile } = credential as { certificateFile: string; keyFile: string };
      return [`client-certificate: ${quote(certificateFile)}`, `client-key: ${quote(keyFile)}`];
    },
  }[credential.kind]();
  return `apiVersion: v1
kind: Config
current-context: podtrail-e2e
clusters:
  - name: podtrail-e2e
    cluster:
      server: ${quote(server)}
      ${trust}
users:
  - name: ${quote(user)}
    user:
      ${identity.join('\n      ')}
contexts:
  - name: podtrail-e2e
    context:
      cluster: podtrail-e2e
      user: ${quote(user)}
      namespace: ${quote(namespace)}
`;
}
