// Runs every area on one server. Cases of an area run side by side, each in namespaces of its own; areas that change
// the server under the others come last and run alone.
import { Assertions } from './assertions.ts';
import type { Area, Case, Stage } from './case.ts';
import { RawClient } from './raw-client.ts';
import type { ServerUnderTest } from './servers/server.ts';

export interface CaseResult {
  readonly area: string;
  readonly name: string;
  readonly assertions: number;
  /** Empty for a case that passed. */
  readonly failures: readonly string[];
  readonly milliseconds: number;
}

const SIDE_BY_SIDE = 6;

export interface RunOptions {
  readonly only?: (found: Case) => boolean;
  /** Part of every name, for a server that has seen a run before. */
  readonly tag?: string;
}

export async function runAreas(
  server: ServerUnderTest,
  areas: readonly Area[],
  { only = () => true, tag = 'run' }: RunOptions = {},
): Promise<CaseResult[]> {
  const stage = createStage(server, tag);
  const results: CaseResult[] = [];
  const flat = (wanted: boolean) =>
    areas
      .filter(({ alone = false }) => alone === wanted)
      .flatMap(({ area, cases }) => cases.filter(only).map((found) => ({ area, found })));
  try {
    const waiting = flat(false).toSorted((a, b) => Number(b.found.slow ?? false) - Number(a.found.slow ?? false));
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        results.push(await runCase(next.area, next.found, stage));
      }
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
    for (const { area, found } of flat(true)) results.push(await runCase(area, found, stage));
  } finally {
    stage.close();
  }
  return inOrder(results, areas);
}

/** As the areas list them, however they ended. */
function inOrder(results: readonly CaseResult[], areas: readonly Area[]): CaseResult[] {
  const order = new Map(areas.flatMap(({ cases }) => cases).map(({ name }, index) => [name, index]));
  return results.toSorted((a, b) => (order.get(a.name) ?? 0) - (order.get(b.name) ?? 0));
}

async function runCase(area: string, found: Case, stage: Stage): Promise<CaseResult> {
  const assert = new Assertions();
  const begun = performance.now();
  try {
    await found.run(stage, assert);
  } catch (error) {
    assert.failures.push(`it broke off: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
  if (assert.count === 0 && assert.failures.length === 0) assert.failures.push('it asserts nothing');
  const milliseconds = Math.round(performance.now() - begun);
  return { area, name: found.name, assertions: assert.count, failures: assert.failures, milliseconds };
}

function createStage(server: ServerUnderTest, tag: string): Stage & { close(): void } {
  let named = 0;
  const connect = () => ({
    client: new RawClient(server.admin),
    limited: new RawClient(server.limited),
    stranger: new RawClient(server.stranger),
    anonymous: new RawClient(server.anonymous),
  });
  let clients = connect();
  const close = () => {
    for (const client of Object.values(clients)) client.close();
  };
  const unique = (prefix: string) => `${prefix}-${tag}-${++named}`;
  return {
    address: server.admin,
    get client() {
      return clients.client;
    },
    get limited() {
      return clients.limited;
    },
    get stranger() {
      return clients.stranger;
    },
    get anonymous() {
      return clients.anonymous;
    },
    unique,
    async namespace() {
      const name = unique('case');
      await clients.client.create('/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name },
      });
      return name;
    },
    async compact() {
      await server.compact();
      close();
      clients = connect();
    },
    close,
  };
}
