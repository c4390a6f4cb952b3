// Kubeconfigs as kind, EKS, GKE, Rancher … write them, with made-up contents, for official-client.test.ts. Where the
// official client differs from kubectl (client-go), the row says so with the reason.
import { selfSignedCertificate } from './self-signed-certificate.ts';

/** Everything a connection depends on. */
export interface View {
  readonly server: string | undefined;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly authorization: string | undefined;
  readonly namespace: string;
  readonly serverName: string | undefined;
  readonly skipVerify: boolean;
  readonly proxy: string | undefined;
  readonly as: string | undefined;
}

export interface KubeconfigRow {
  /** By path inside a fresh directory; objects are written as YAML. ROOT in a text becomes that directory. */
  readonly files: Readonly<Record<string, object | string>>;
  /** The KUBECONFIG list; `config` if left out. */
  readonly list?: readonly string[];
  readonly context?: string;
  /** What we must see whatever the oracle says. */
  readonly expect?: Partial<View>;
  /** Fields where the official client differs from client-go. */
  readonly officialDiffers?: { readonly fields: Partial<View>; readonly reason: string };
  readonly officialFails?: { readonly message: RegExp; readonly reason: string };
  readonly weFail?: { readonly code: string; readonly reason: string };
}

export const ca = selfSignedCertificate('cluster-ca').cert;
const otherCa = selfSignedCertificate('other-ca').cert;
export const me = selfSignedCertificate('kubernetes-admin');
export const base64 = (text: string) => Buffer.from(text).toString('base64');
const caData = { 'certificate-authority-data': base64(ca) };
const pairData = { 'client-certificate-data': base64(me.cert), 'client-key-data': base64(me.key) };
export const V1 = 'client.authentication.k8s.io/v1';
export const V1BETA1 = 'client.authentication.k8s.io/v1beta1';

interface Shape {
  readonly name?: string;
  readonly cluster: object;
  readonly user?: object;
  readonly namespace?: string;
}

/** One context, as most tools write it; `name` is used for all three entries. */
function one({ name = 'x', cluster, user, namespace }: Shape, rest: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    preferences: {},
    clusters: [{ name, cluster }],
    users: user === undefined ? [] : [{ name, user }],
    contexts: [
      {
        name,
        context: {
          cluster: name,
          ...(user === undefined ? {} : { user: name }),
          ...(namespace === undefined ? {} : { namespace }),
        },
      },
    ],
    'current-context': name,
    ...rest,
  };
}

export const KUBECONFIG_ROWS: Readonly<Record<string, KubeconfigRow>> = {
  'kind: a loopback port, certificates as data': {
    files: {
      config: one({ name: 'kind-trail', cluster: { ...caData, server: 'https://127.0.0.1:38211' }, user: pairData }),
    },
    expect: { server: 'https://127.0.0.1:38211', ca, cert: me.cert, key: me.key, namespace: 'default' },
  },
  'minikube: certificates as absolute paths, extensions in every entry': {
    files: {
      config: one({
        name: 'minikube',
        cluster: {
          'certificate-authority': 'ROOT/.minikube/ca.crt',
          extensions: [{ name: 'cluster_info', extension: { provider: 'minikube.sigs.k8s.io', version: 'v1.36.0' } }],
          server: 'https://192.168.49.2:8443',
        },
        user: { 'client-certificate': 'ROOT/.minikube/client.crt', 'client-key': 'ROOT/.minikube/client.key' },
        namespace: 'default',
      }),
      '.minikube/ca.crt': ca,
      '.minikube/client.crt': me.cert,
      '.minikube/client.key': me.key,
    },
    expect: { ca, cert: me.cert, key: me.key },
  },
  'EKS: the aws command as a plugin, with arguments and a profile': {
    files: {
      config: one({
        name: 'arn:aws:eks:eu-west-1:111122223333:cluster/trail',
        cluster: { ...caData, server: 'https://0123456789ABCDEF.gr7.eu-west-1.eks.amazonaws.com' },
        user: {
          exec: {
            apiVersion: V1BETA1,
            args: ['--region', 'eu-west-1', 'eks', 'get-token', '--cluster-name', 'trail', '--output', 'json'],
            command: 'aws',
            env: [{ name: 'PLUGIN_PROFILE', value: 'trail-admin' }],
          },
        },
      }),
    },
    expect: {
      server: 'https://0123456789abcdef.gr7.eu-west-1.eks.amazonaws.com',
      authorization: 'Bearer trail-admin:--region_eu-west-1_eks_get-token_--cluster-name_trail_--output_json',
    },
    officialDiffers: {
      fields: { server: 'https://0123456789ABCDEF.gr7.eu-west-1.eks.amazonaws.com' },
      reason: 'it keeps the letter case of the host, which means nothing to DNS or TLS',
    },
  },
  'GKE: gke-gcloud-auth-plugin with an install hint and cluster information': {
    files: {
      config: one({
        name: 'gke_project_europe-west1_trail',
        cluster: { ...caData, server: 'https://34.76.1.2' },
        user: {
          exec: {
            apiVersion: V1BETA1,
            command: 'gke-gcloud-auth-plugin',
            installHint: 'Install gke-gcloud-auth-plugin for use with kubectl by following the documentation',
            provideClusterInfo: true,
          },
        },
      }),
    },
    expect: { authorization: 'Bearer none:' },
  },
  'AKS: kubelogin, with a user name that is not the cluster name': {
    files: {
      config: {
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [
          { name: 'trail', cluster: { ...caData, server: 'https://trail-dns-1a2b.hcp.westeurope.azmk8s.io:443' } },
        ],
        contexts: [{ name: 'trail', context: { cluster: 'trail', user: 'clusterUser_group_trail' } }],
        'current-context': 'trail',
        users: [
          {
            name: 'clusterUser_group_trail',
            user: {
              exec: {
                apiVersion: V1BETA1,
                args: ['get-token', '--login', 'devicecode', '--server-id', '6dae42f8'],
                command: 'kubelogin',
                env: null,
                provideClusterInfo: false,
              },
            },
          },
        ],
      },
    },
    expect: { authorization: 'Bearer none:get-token_--login_devicecode_--server-id_6dae42f8' },
    officialDiffers: {
      fields: { server: 'https://trail-dns-1a2b.hcp.westeurope.azmk8s.io:443' },
      reason: 'it keeps the default port in the text; it is the same address',
    },
  },
  'AKS with local accounts: a certificate and a token for one user': {
    files: {
      config: one({ cluster: { ...caData, server: 'https://a.azmk8s.io' }, user: { ...pairData, token: 'aks0token' } }),
    },
    expect: { authorization: 'Bearer aks0token', cert: me.cert },
  },
  'k3s: everything is called default': {
    files: {
      config: one({ name: 'default', cluster: { ...caData, server: 'https://127.0.0.1:6443' }, user: pairData }),
    },
  },
  'kubeadm: admin.conf': {
    files: {
      config: {
        apiVersion: 'v1',
        clusters: [{ cluster: { ...caData, server: 'https://10.0.0.10:6443' }, name: 'kubernetes' }],
        contexts: [
          { context: { cluster: 'kubernetes', user: 'kubernetes-admin' }, name: 'kubernetes-admin@kubernetes' },
        ],
        'current-context': 'kubernetes-admin@kubernetes',
        kind: 'Config',
        users: [{ name: 'kubernetes-admin', user: pairData }],
      },
    },
  },
  'OpenShift: oc login writes names with slashes, a token and a project': {
    files: {
      config: {
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'api-lab-example:6443', cluster: { server: 'https://api.lab.example:6443' } }],
        contexts: [
          {
            name: 'trail/api-lab-example:6443/ada',
            context: { cluster: 'api-lab-example:6443', namespace: 'trail', user: 'ada/api-lab-example:6443' },
          },
        ],
        'current-context': 'trail/api-lab-example:6443/ada',
        users: [{ name: 'ada/api-lab-example:6443', user: { token: 'sha256~made-up_Token' } }],
      },
    },
    expect: { authorization: 'Bearer sha256~made-up_Token', namespace: 'trail', ca: undefined },
  },
  'Rancher: a path prefix and a token with a colon': {
    files: {
      config: one({
        name: 'trail',
        cluster: { server: 'https://rancher.example/k8s/clusters/c-m-1a2b3c4d' },
        user: { token: 'kubeconfig-u-abc:xyz123' },
      }),
    },
    expect: { server: 'https://rancher.example/k8s/clusters/c-m-1a2b3c4d' },
  },
  'microk8s of today: certificates as data': {
    files: {
      config: one({ name: 'microk8s', cluster: { ...caData, server: 'https://172.17.0.1:16443' }, user: pairData }),
    },
  },
  'microk8s of old: a user name and a password': {
    files: {
      config: one({
        cluster: { ...caData, server: 'https://127.0.0.1:16443' },
        user: { username: 'admin', password: 'pw' },
      }),
    },
    expect: { authorization: `Basic ${base64('admin:pw')}` },
  },
  'DigitalOcean: doctl as a plugin': {
    files: {
      config: one({
        name: 'do-fra1-trail',
        cluster: { ...caData, server: 'https://uuid.k8s.ondigitalocean.com' },
        user: {
          exec: {
            apiVersion: V1BETA1,
            args: ['kubernetes', 'cluster', 'kubeconfig', 'exec-credential', '--version=v1beta1'],
            command: 'doctl',
            env: null,
            interactiveMode: 'IfAvailable',
            provideClusterInfo: false,
          },
        },
      }),
    },
  },
  'Teleport: a plugin that returns a client certificate, and a tls-server-name': {
    files: {
      config: one({
        cluster: {
          ...caData,
          server: 'https://teleport.example:443/v1/teleport/x',
          'tls-server-name': 'kube-teleport-proxy-alpn.teleport.cluster.local',
        },
        user: { exec: { apiVersion: V1, args: ['kube', 'credentials'], command: 'tsh', interactiveMode: 'Never' } },
      }),
    },
    expect: {
      server: 'https://teleport.example/v1/teleport/x',
      cert: me.cert,
      key: me.key,
      authorization: undefined,
      serverName: 'kube-teleport-proxy-alpn.teleport.cluster.local',
    },
    officialDiffers: {
      fields: { server: 'https://teleport.example:443/v1/teleport/x' },
      reason: 'it keeps the default port in the text; it is the same address',
    },
  },
  'several contexts: the current one is neither the first nor the last': {
    files: { config: threeContexts('two') },
    expect: { server: 'https://two:6443', authorization: 'Bearer token-two', namespace: 'ns-two' },
  },
  'several contexts: another one than the current is asked for': {
    files: { config: threeContexts('two') },
    context: 'three',
    expect: { server: 'https://three:6443', authorization: 'Bearer token-three', namespace: 'ns-three' },
  },
  'a list of two files: the context of the first names a cluster of the second': {
    files: {
      a: {
        'current-context': 'x',
        contexts: [{ name: 'x', context: { cluster: 'far', user: 'u' } }],
        users: [{ name: 'u', user: { token: 'a' } }],
      },
      b: {
        'current-context': 'other',
        clusters: [{ name: 'far', cluster: { server: 'https://far:6443', ...caData } }],
      },
    },
    list: ['a', 'b'],
    expect: { server: 'https://far:6443', authorization: 'Bearer a' },
  },
  'a list of two files with relative paths, each from its own directory': {
    files: {
      'a/config': {
        'current-context': 'x',
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        users: [{ name: 'u', user: { 'client-certificate': 'pki/me.crt', 'client-key': 'pki/me.key' } }],
      },
      'b/config': {
        clusters: [{ name: 'c', cluster: { server: 'https://c:6443', 'certificate-authority': 'pki/ca.crt' } }],
      },
      'a/pki/me.crt': me.cert,
      'a/pki/me.key': me.key,
      'a/pki/ca.crt': otherCa,
      'b/pki/ca.crt': ca,
    },
    list: ['a/config', 'b/config'],
    expect: { ca, cert: me.cert },
  },
  'a list where both files define a name: the first owns it': {
    files: {
      a: one({ cluster: { server: 'https://first:6443' }, user: { token: 'first' } }),
      b: one({ cluster: { server: 'https://second:6443', ...caData }, user: { username: 'second', password: 'pw' } }),
    },
    list: ['a', 'b'],
    expect: { server: 'https://first:6443', authorization: 'Bearer first', ca: undefined },
    officialFails: { message: /Duplicate/, reason: 'it refuses what kubectl merges' },
  },
  'a list with a missing file': {
    files: { a: one({ cluster: { server: 'https://first:6443' }, user: { token: 'first' } }) },
    list: ['gone', 'a'],
    expect: { server: 'https://first:6443' },
    officialFails: { message: /ENOENT/, reason: 'kubectl skips missing files of a list' },
  },
  'a list with empty entries': {
    files: { a: one({ cluster: { server: 'https://first:6443' }, user: { token: 'first' } }) },
    list: ['', 'a', ''],
  },
  'relative paths that climb': {
    files: {
      'deep/config': one({
        cluster: { server: 'https://c:6443', 'certificate-authority': '../shared/ca.crt' },
        user: {},
      }),
      'shared/ca.crt': ca,
    },
    list: ['deep/config'],
    expect: { ca },
  },
  'an IPv6 server': {
    files: { config: one({ cluster: { ...caData, server: 'https://[fd00:10:96::1]:6443' }, user: pairData }) },
    expect: { server: 'https://[fd00:10:96::1]:6443' },
  },
  'a server without a port': {
    files: { config: one({ cluster: { server: 'https://api.example' }, user: { token: 't' } }) },
  },
  'a server with a trailing slash': {
    files: { config: one({ cluster: { server: 'https://api.example:6443/' }, user: { token: 't' } }) },
    expect: { server: 'https://api.example:6443' },
  },
  'a server behind a path with a trailing slash': {
    files: { config: one({ cluster: { server: 'https://proxy.example/clusters/a/' }, user: { token: 't' } }) },
    expect: { server: 'https://proxy.example/clusters/a' },
  },
  'an http proxy-url': {
    files: {
      config: one({ cluster: { server: 'https://c:6443', 'proxy-url': 'http://proxy:3128' }, user: { token: 't' } }),
    },
    expect: { proxy: 'http://proxy:3128' },
  },
  'an https proxy-url with credentials': {
    files: {
      config: one({
        cluster: { server: 'https://c:6443', 'proxy-url': 'https://u:p@proxy:3128' },
        user: { token: 't' },
      }),
    },
  },
  'a SOCKS proxy-url': {
    files: { config: one({ cluster: { server: 'https://c:6443', 'proxy-url': 'socks5://proxy:1080' }, user: {} }) },
    weFail: { code: 'config-proxy', reason: 'client-go and the official client speak SOCKS; we say that we do not' },
  },
  'a tls-server-name': {
    files: {
      config: one({
        cluster: { ...caData, server: 'https://10.1.1.1:6443', 'tls-server-name': 'kubernetes' },
        user: pairData,
      }),
    },
    expect: { serverName: 'kubernetes' },
  },
  'vcluster and other labs: insecure-skip-tls-verify': {
    files: {
      config: one({
        cluster: { server: 'https://localhost:10443', 'insecure-skip-tls-verify': true },
        user: { token: 't' },
      }),
    },
    expect: { skipVerify: true },
  },
  'a CA together with insecure-skip-tls-verify': {
    files: {
      config: one({
        cluster: { ...caData, server: 'https://a', 'insecure-skip-tls-verify': true },
        user: { token: 't' },
      }),
    },
    weFail: {
      code: 'config-conflict',
      reason: 'client-go refuses the contradiction, the official client does not see it',
    },
  },
  'an impersonated user in the user entry': {
    files: { config: one({ cluster: { server: 'https://c' }, user: { token: 't', as: 'system:serviceaccount:a:b' } }) },
    expect: { as: 'system:serviceaccount:a:b' },
  },
  'JSON with everything on one line': {
    files: { config: JSON.stringify(one({ cluster: { ...caData, server: 'https://c:6443' }, user: { token: 't' } })) },
  },
  'a YAML file with comments, anchors and block text': {
    files: {
      config: `
# written by hand
x-ca: &ca ${base64(ca)}
clusters:
  - name: c
    cluster:
      server: "https://c:6443"
      certificate-authority-data: *ca
contexts:
  - name: x
    context: {cluster: c, user: u, namespace: 'team-a'}
users:
  - name: u
    user:
      token: >-
        block-token
current-context: x
`,
    },
    expect: { ca, authorization: 'Bearer block-token', namespace: 'team-a' },
  },
  'a user entry without a body': {
    files: { config: one({ cluster: { ...caData, server: 'https://c:6443' }, user: {} }) },
    expect: { ca, authorization: undefined },
  },
  'a context without a user': {
    files: { config: one({ cluster: { ...caData, server: 'https://c:6443' } }) },
    expect: { ca, authorization: undefined },
    officialDiffers: {
      fields: { ca: undefined },
      reason: 'without a user it forgets the certificate authority of the cluster',
    },
  },
  'a token in a file': {
    files: {
      config: one({ cluster: { server: 'https://c:6443' }, user: { tokenFile: 'ROOT/token' } }),
      token: 'rotating\n',
    },
    expect: { authorization: 'Bearer rotating' },
    officialDiffers: {
      fields: { authorization: undefined },
      reason: 'it looks for "token-file", a field that kubectl does not know',
    },
  },
  'a token and a token file': {
    files: {
      config: one({ cluster: { server: 'https://c:6443' }, user: { token: 'old', tokenFile: 'token' } }),
      token: 'rotating\n',
    },
    expect: { authorization: 'Bearer rotating' },
    officialDiffers: {
      fields: { authorization: 'Bearer old' },
      reason: 'in client-go the last good content of the file wins over the fixed token',
    },
  },
  'kubectl proxy: plain http, where no credential may be sent': {
    files: { config: one({ cluster: { server: 'http://localhost:8001' }, user: { token: 'kept' } }) },
    expect: { server: 'http://localhost:8001', authorization: undefined },
    officialFails: {
      message: /HTTP protocol is not allowed/,
      reason: 'client-go allows http, but sends no credentials',
    },
  },
  'a plugin as a relative path': {
    files: {
      config: one({
        cluster: { server: 'https://c:6443' },
        user: { exec: { apiVersion: V1, command: './tools/login', interactiveMode: 'Never' } },
      }),
      'tools/login': pluginScript(V1, '"token":"by-path"'),
    },
    expect: { authorization: 'Bearer by-path' },
    officialFails: { message: /ENOENT/, reason: 'it looks in the working directory, not beside the kubeconfig' },
  },
};

function threeContexts(current: string): object {
  const names = ['one', 'two', 'three'];
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': current,
    clusters: names.map((n) => ({ name: `cluster-${n}`, cluster: { server: `https://${n}:6443` } })),
    users: names.map((n) => ({ name: `user-${n}`, user: { token: `token-${n}` } })),
    contexts: names.map((n) => ({
      name: n,
      context: { cluster: `cluster-${n}`, user: `user-${n}`, namespace: `ns-${n}` },
    })),
  };
}

/** A shell script that prints a credential; `status` may use $PROFILE and $ARGS. */
export function pluginScript(apiVersion: string, status: string): string {
  const answer = `{"kind":"ExecCredential","apiVersion":"${apiVersion}","status":{${status}}}`;
  return `#!/bin/sh\nPROFILE=$(printenv PLUGIN_PROFILE || echo none)\nARGS=$(echo "$*" | tr ' ' '_')\ncat <<END\n${answer}\nEND\n`;
}
