// The operator as a process of its own on a real control plane, installed from deploy/kustomize and with the token of
// its ServiceAccount. Used by the operator tests.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PodtrailProcess } from './cli/podtrail-process.ts';
import { type ControlPlane, until } from './controlplane/index.ts';
import { type Grant, grantsOf } from './operator-grants.ts';
import { untilServed } from './podtracker-stage.ts';

interface TestContext {
  after(done: () => Promise<unknown>): void;
}

export const KUSTOMIZE = fileURLToPath(new URL('../deploy/kustomize/', import.meta.url));
export const SERVICE_ACCOUNT = { namespace: 'podtrail', name: 'podtrail-operator' };
export const OPERATOR_USER = 'system:serviceaccount:podtrail:podtrail-operator';

/** Applies the manifests and waits until the definitions are served and the rights are in force. */
export async function install(plane: ControlPlane): Promise<void> {
  await plane.kubectl(['apply', '-k', KUSTOMIZE]);
  await untilServed(plane);
  const grants = await grantsOf(plane, SERVICE_ACCOUNT);
  await until('the rights are in force', async () => {
    return (await Promise.all(grants.map((grant) => isAllowed(plane, grant)))).every((allowed) => allowed);
  });
}

/** An API server learns of roles and bindings a moment after they are stored. */
async function isAllowed(plane: ControlPlane, { verb, resource, namespace, name }: Grant): Promise<boolean> {
  const [, plain, group, subresource] = /^([^./]+)(?:\.([^/]+))?(?:\/(.+))?$/.exec(resource) ?? [];
  const resourceAttributes = { verb, group, resource: plain, subresource, namespace, name };
  const spec = { user: OPERATOR_USER, resourceAttributes };
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
  const answer = await plane.request('/apis/authorization.k8s.io/v1/subjectaccessreviews', { body });
  return answer.json().status?.allowed === true;
}

/** Lets the operator write ConfigMaps in another namespace than its own, as docs/operator.md says. */
export async function grantFootprints(plane: ControlPlane, namespace: string): Promise<void> {
  const role = ['--clusterrole=podtrail-footprints', '--serviceaccount=podtrail:podtrail-operator'];
  await plane.kubectl(['-n', namespace, 'create', 'rolebinding', 'podtrail-footprints', ...role]);
}

export class OperatorReplica {
  readonly name: string;
  readonly process: PodtrailProcess;
  readonly store: string;
  /** By which replicas are distinguished in the audit log, though all of them are the same user. */
  readonly credential: string;

  private constructor(name: string, process: PodtrailProcess, store: string, credential: string) {
    this.credential = credential;
    this.name = name;
    this.process = process;
    this.store = store;
  }

  /** `store`: that of an earlier replica, to go on with. `server`: the URL of an API server other than the first. */
  static async start(
    t: TestContext,
    plane: ControlPlane,
    name: string,
    options: { readonly words?: readonly string[]; readonly store?: string; readonly server?: string } = {},
  ): Promise<OperatorReplica> {
    const at = options.server === undefined ? {} : { server: options.server };
    const kubeconfig = await plane.kubeconfig({ serviceAccount: SERVICE_ACCOUNT, ...at });
    let { store } = options;
    if (store === undefined) {
      const directory = await mkdtemp(join(tmpdir(), 'podtrail-operator-'));
      t.after(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
      store = `sqlite:${join(directory, 'ledger.db')}`;
    }
    const words = [
      ...['operator', '--kubeconfig', kubeconfig, '--namespace', 'podtrail', '--identity', name, '--store', store],
      ...['--metrics-port', '0', '--health-port', '0', '--conversion-port', '0', '--footprint-interval', '1s'],
      ...['--log-level', 'debug', ...(options.words ?? ['--no-conversion'])],
    ];
    const replica = new OperatorReplica(name, new PodtrailProcess(words), store, await tokenId(kubeconfig));
    t.after(() => replica.process.end('SIGKILL'));
    await replica.process.untilSaid('"msg":"operator"');
    return replica;
  }

  get log(): Record<string, unknown>[] {
    // The last piece is empty, or a line that is still on its way.
    const lines = this.process.err.split('\n').slice(0, -1);
    return lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  }

  address(what: 'metrics' | 'health'): string {
    return String(this.log.find(({ msg }) => msg === 'operator')?.[what]);
  }

  async untilReady(): Promise<void> {
    await until(`${this.name} is ready`, async () => (await fetch(this.address('health'))).status === 200, {
      withinMs: 60_000,
    });
  }

  async metric(name: string): Promise<number> {
    const page = await (await fetch(this.address('metrics'))).text();
    const found = page.split('\n').find((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
    return Number(found?.split(' ').at(-1));
  }

  async leads(): Promise<boolean> {
    return (await this.metric('podtrail_leader')) === 1;
  }

  async untilLeads(withinMs = 60_000): Promise<void> {
    await until(`${this.name} leads`, () => this.leads(), { withinMs, everyMs: 100 });
  }
}

async function tokenId(kubeconfig: string): Promise<string> {
  const [, payload = ''] = /token: "[^.]+\.([^.]+)\./.exec(await readFile(kubeconfig, 'utf8')) ?? [];
  return `JTI=${JSON.parse(Buffer.from(payload, 'base64url').toString()).jti}`;
}
