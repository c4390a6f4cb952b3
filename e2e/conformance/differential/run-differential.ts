// The same random requests to both servers, one after the other. The first answer that differs ends a run, because all
// that follows would differ too; at the end both must have sent the same events to a watch.
import { isDeepStrictEqual } from 'node:util';
import { until } from '../../controlplane/index.ts';
import { type Json, RawClient } from '../raw-client.ts';
import type { ServerUnderTest } from '../servers/server.ts';
import type { WatchEvent } from '../watch-stream.ts';
import { drawFrom } from './draw.ts';
import { CUSTOM_GROUP, KINDS } from './kinds.ts';
import { normalAnswer, normalBody } from './normal-form.ts';
import { drawOperation, type Memory } from './operations.ts';

export interface Difference {
  readonly seed: number;
  readonly step: number;
  readonly what: string;
  readonly real: Json;
  readonly sandbox: Json;
}

export interface DifferentialOptions {
  readonly seeds: readonly number[];
  /** Requests for each seed. */
  readonly steps: number;
}

export async function runDifferential(
  real: ServerUnderTest,
  sandbox: ServerUnderTest,
  { seeds, steps }: DifferentialOptions,
): Promise<Difference[]> {
  const clients = [new RawClient(real.admin), new RawClient(sandbox.admin)] as const;
  const found: Difference[] = [];
  try {
    await Promise.all(clients.map(defineWidgets));
    for (const seed of seeds) {
      const difference = await runSeed(clients, seed, steps);
      if (difference !== undefined) found.push(difference);
    }
  } finally {
    for (const client of clients) client.close();
  }
  return found;
}

/** A few lines for a person: the request, and each place where the answers part. */
export function describeDifference({ seed, step, what, real, sandbox }: Difference): string {
  const places = parting(real, sandbox, '').slice(0, 8);
  return [`seed ${seed}, step ${step}: ${what.slice(0, 400)}`, ...places].join('\n');
}

function parting(real: Json, sandbox: Json, path: string): string[] {
  if (isDeepStrictEqual(real, sandbox)) return [];
  const isObject = (value: Json) => typeof value === 'object' && value !== null;
  if (isObject(real) && isObject(sandbox)) {
    const keys = [...new Set([...Object.keys(real), ...Object.keys(sandbox)])];
    return keys.flatMap((key) => parting(real[key], sandbox[key], `${path}.${key}`));
  }
  const shown = (value: Json) => (JSON.stringify(value) ?? 'nothing').slice(0, 500);
  return [`  ${path}: real ${shown(real)}, sandbox ${shown(sandbox)}`];
}

type Pair = readonly [RawClient, RawClient];

async function runSeed(clients: Pair, seed: number, steps: number): Promise<Difference | undefined> {
  const namespace = `random-${seed}`;
  await Promise.all(clients.map((client) => client.create('/api/v1/namespaces', { metadata: { name: namespace } })));
  const starts = await Promise.all(clients.map((client) => startOfStory(client, namespace)));
  const draw = drawFrom(seed);
  const memories: readonly [Memory, Memory] = [new Map(), new Map()];
  for (let step = 0; step < steps; step++) {
    const operation = drawOperation(draw, namespace);
    const answers = [
      normalAnswer(await operation.perform(clients[0], memories[0])),
      normalAnswer(await operation.perform(clients[1], memories[1])),
    ];
    if (!isDeepStrictEqual(answers[0], answers[1])) {
      return { seed, step, what: operation.what, real: answers[0], sandbox: answers[1] };
    }
  }
  for (const kind of KINDS) {
    const path = kind.path(namespace);
    const [there, here] = await Promise.all(
      clients.map((client, index) => readStory(client, path, starts[index]?.get(kind.plural) as string)),
    );
    if (!isDeepStrictEqual(there, here)) {
      return { seed, step: steps, what: `the watch of ${kind.plural}`, real: there, sandbox: here };
    }
  }
  return undefined;
}

/** The resourceVersion of each kind before anything happens. */
async function startOfStory(client: RawClient, namespace: string): Promise<Map<string, string>> {
  const versions = KINDS.map(async ({ plural, path }) => {
    const { json } = await client.get(path(namespace));
    return [plural, json.metadata.resourceVersion] as const;
  });
  return new Map(await Promise.all(versions));
}

/** All events from a version up to an object that is created to end the story. */
async function readStory(client: RawClient, path: string, from: string): Promise<Json[]> {
  const stream = await client.watch(`${path}?resourceVersion=${from}`);
  const list = (await client.get(path)).json;
  const sample = { apiVersion: list.apiVersion, kind: list.kind.replace(/List$/, ''), metadata: { name: 'the-end' } };
  const kind = KINDS.find(({ plural }) => path.endsWith(`/${plural}`));
  await client.create(path, { ...kind?.make(drawFrom(1), 'the-end'), ...sample });
  const events = await stream.until(({ object }) => object.metadata?.name === 'the-end');
  stream.close();
  const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
  const inOrder = versions.every((version, index) => index === 0 || version > (versions[index - 1] as number));
  const reported = events.slice(0, -1).map(({ type, object }) => ({ type, object: normalBody(object) }));
  return [...reported.filter((event, index) => !isRepeated(event, reported.slice(0, index))), { inOrder }];
}

/** The real server writes an object again when nothing but its managedFields changed. */
function isRepeated(event: WatchEvent, before: readonly WatchEvent[]): boolean {
  const last = before.findLast(({ object }) => object.metadata.name === event.object.metadata.name);
  return event.type === 'MODIFIED' && last?.type !== 'DELETED' && isDeepStrictEqual(last?.object, event.object);
}

async function defineWidgets(client: RawClient): Promise<void> {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } };
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
  const versions = [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }];
  await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${CUSTOM_GROUP}` },
    spec: { group: CUSTOM_GROUP, scope: 'Namespaced', names, versions },
  });
  const path = `/apis/${CUSTOM_GROUP}/v1/widgets`;
  await until('the custom kind is served', async () => (await client.get(path)).status === 200);
  await until('it can be watched', async () => {
    const widgets = await client.watch(path);
    widgets.close();
    return widgets.status === 200;
  });
}
