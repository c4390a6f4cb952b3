// Which ConfigMaps match a selector, without their data: the server renders them as a table and leaves the objects out,
// or all of them but their metadata, so that a week of hours costs some kilobytes and not all that they hold.
import { type Client, CONFIG_MAPS, type ObjectMeta, type Table } from '@podtrail/machinery';

const PAGE = 500;

export type ListNames = (labelSelector: string, signal?: AbortSignal) => Promise<readonly string[]>;
export type ListMetadata = (labelSelector: string, signal?: AbortSignal) => Promise<readonly ObjectMeta[]>;

export function configMapNames(client: Pick<Client, 'table'>, namespace: string): ListNames {
  return async (labelSelector, signal) => {
    const names: string[] = [];
    for await (const page of pages(client, namespace, { labelSelector, includeObject: 'None', signal })) {
      const at = page.columnDefinitions.findIndex(({ name }) => name === 'Name');
      for (const { cells } of page.rows) names.push(String(cells[at]));
    }
    return names;
  };
}

export function configMapMetadata(client: Pick<Client, 'table'>, namespace: string): ListMetadata {
  return async (labelSelector, signal) => {
    const found: ObjectMeta[] = [];
    for await (const page of pages(client, namespace, { labelSelector, includeObject: 'Metadata', signal })) {
      for (const { object } of page.rows) if (object !== undefined) found.push(object.metadata);
    }
    return found;
  };
}

type Asked = Pick<NonNullable<Parameters<Client['table']>[1]>, 'labelSelector' | 'includeObject' | 'signal'>;

async function* pages(client: Pick<Client, 'table'>, namespace: string, asked: Asked): AsyncIterable<Table> {
  let next: string | undefined;
  do {
    const page = await client.table(CONFIG_MAPS, { ...asked, namespace, limit: PAGE, continue: next });
    yield page;
    next = page.metadata.continue || undefined;
  } while (next !== undefined);
}
