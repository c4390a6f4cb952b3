// Names of the ConfigMaps that match a selector, without their data: the server renders them as a table and leaves the
// objects out, so that a week of hours costs some kilobytes and not all that they hold.
import { type Client, CONFIG_MAPS } from '@podtrail/machinery';

const PAGE = 500;

export type ListNames = (labelSelector: string, signal?: AbortSignal) => Promise<readonly string[]>;

export function configMapNames(client: Pick<Client, 'table'>, namespace: string): ListNames {
  return async (labelSelector, signal) => {
    const names: string[] = [];
    let next: string | undefined;
    do {
      const page = await client.table(CONFIG_MAPS, {
        namespace,
        labelSelector,
        limit: PAGE,
        continue: next,
        includeObject: 'None',
        signal,
      });
      const at = page.columnDefinitions.findIndex(({ name }) => name === 'Name');
      for (const { cells } of page.rows) names.push(String(cells[at]));
      next = page.metadata.continue || undefined;
    } while (next !== undefined);
    return names;
  };
}
